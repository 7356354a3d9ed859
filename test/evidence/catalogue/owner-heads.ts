import { newKey } from '../../helpers/evidence-stage.ts'
import { OF_THIRD } from './owner-entries.ts'
import { sqlOf, type Tamper } from './tamper.ts'

/** What the owner of the tables does to heads. */
export const OWNER_HEADS: readonly Tamper[] = [
  [
    'a head taken out of the middle',
    sqlOf(`delete from callsheet.heads where number = 2`),
    [
      ['head_chain_broken', 'head 3'],
      ['head_chain_broken', 'head 3'],
      ['head_missing', 'head 2'],
      ['root_wrong', OF_THIRD],
    ],
  ],
  [
    'all heads taken out',
    sqlOf('delete from callsheet.heads'),
    [
      ...[1, 2, 3].map((number) => ['end_cut', `head ${number}`] as const),
      ['tile_wrong', 'tile 0 of level 0'],
    ],
  ],
  [
    'the line of a head changed',
    sqlOf(`update callsheet.heads set line = replace(line, '"at":"2', '"at":"1') where number = 2`),
    [
      ['head_chain_broken', 'head 3'],
      ['head_changed', 'head 2'],
      ['note_differs', "the store's note of head 2"],
      ['signature_wrong', 'head 2'],
    ],
  ],
  [
    'a head said to be over other entries than it is',
    sqlOf('update callsheet.heads set last_seq = last_seq + 1 where number = 3'),
    [
      ['checkpoint_wrong', 'the checkpoint of head 3'],
      ['head_changed', 'head 3'],
      ['note_missing', "the store's note of the checkpoint of head 3"],
    ],
  ],
  [
    'a signature changed',
    sqlOf(
      `update callsheet.heads
        set signature = set_byte(signature, 9, get_byte(signature, 9) # 1) where number = 1`,
    ),
    [['signature_wrong', 'head 1']],
  ],
  [
    'the signatures of two heads exchanged for one another',
    sqlOf(
      `update callsheet.heads h set signature = o.signature from callsheet.heads o
        where h.number in (2, 3) and o.number = 5 - h.number`,
    ),
    [
      ['signature_wrong', 'head 2'],
      ['signature_wrong', 'head 3'],
    ],
  ],
  [
    'a head signed anew with another key',
    async (stage) => {
      const other = newKey()
      const line = 'x'
      await stage.tamper(`update callsheet.heads set
        public_key = '\\x${other.publicKey.der.toString('hex')}',
        signature = '\\x${other.sign(line).toString('hex')}' where number = 3`)
    },
    [
      ['key_exchanged', 'head 3'],
      ['signature_wrong', 'head 3'],
      ['signature_wrong', 'the checkpoint of head 3'],
    ],
  ],
]
