import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Checkpoint,
  readCheckpoint,
  signCheckpoint,
} from '../../../src/evidence/log/checkpoint.ts'
import type { SigningKey } from '../../../src/evidence/log/signing-key.ts'
import { readCheckpoints } from '../../../src/evidence/sql/checkpoints.ts'
import { ACCOUNT, ADDED, type EvidenceStage, FILLED, newKey } from '../../helpers/evidence-stage.ts'
import { LAST } from './owner-entries.ts'
import { sqlOf, type Tamper } from './tamper.ts'

const OTHER_ROOT = Buffer.alloc(32, 7)
const SECOND = FILLED + ADDED
const noteOf = ({ directory }: EvidenceStage, size: number): string =>
  join(directory, 'notes', `checkpoint-0000${size}`)
const over = (size: number): string => `the checkpoint over ${size} entries`
const noteOver = (size: number): string => `the store's note of ${over(size)}`

/** Tampers with checkpoints and tiles by the owner of the tables. */
export const OWNER_LOG: readonly Tamper[] = [
  [
    'a checkpoint removed from the middle',
    sqlOf(`delete from callsheet.checkpoints where size = ${SECOND}`),
    [['checkpoint_missing', over(SECOND)]],
  ],
  [
    'the first checkpoint removed',
    sqlOf(`delete from callsheet.checkpoints where size = ${FILLED}`),
    [['checkpoint_missing', over(FILLED)]],
  ],
  [
    'all checkpoints removed',
    sqlOf('delete from callsheet.checkpoints'),
    [
      ...[FILLED, SECOND, LAST].map((size) => ['end_cut', over(size)] as const),
      ['tile_wrong', 'tile 0 of level 0'],
    ],
  ],
  [
    'a checkpoint with another size in its row',
    sqlOf(`update callsheet.checkpoints set size = size + 1 where size = ${LAST}`),
    [
      ['checkpoint_missing', over(LAST)],
      ['checkpoint_wrong', over(LAST + 1)],
      ['entry_missing', `entry ${LAST + 1}`],
    ],
  ],
  [
    'a checkpoint with the log name of after a break',
    sqlOf(`update callsheet.checkpoints set origin = origin || '/after-1' where size = ${LAST}`),
    [
      ['checkpoint_wrong', over(LAST)],
      ['end_cut', over(LAST)],
    ],
  ],
  [
    'a backdated checkpoint',
    sqlOf(`update callsheet.checkpoints set at = at - interval '1 day' where size = ${SECOND}`),
    [['checkpoint_wrong', over(SECOND)]],
  ],
  [
    'two checkpoints swapped',
    sqlOf(
      `update callsheet.checkpoints h set note = o.note from callsheet.checkpoints o
        where h.size in (${SECOND}, ${LAST}) and o.size = ${SECOND + LAST} - h.size`,
    ),
    [
      ['checkpoint_wrong', over(SECOND)],
      ['checkpoint_wrong', over(LAST)],
      ['note_differs', noteOver(SECOND)],
      ['note_differs', noteOver(LAST)],
    ],
  ],
  [
    'the signature of a checkpoint changed',
    (stage) => replace(stage, SECOND, (text) => text.replace(/(.)(.{9}\n)$/, flipped)),
    [
      ['note_differs', noteOver(SECOND)],
      ['signature_wrong', over(SECOND)],
    ],
  ],
  [
    'the key of a checkpoint replaced',
    async (stage) => {
      const der = newKey().publicKey.der.toString('hex')
      await stage.tamper(`update callsheet.checkpoints set key = '\\x${der}' where size = ${LAST}`)
    },
    [
      ['key_exchanged', over(LAST)],
      ['signature_wrong', over(LAST)],
    ],
  ],
  [
    'a checkpoint signed again with another key',
    async (stage) => {
      const key = newKey()
      await resign(stage, LAST, { key })
      await stage.tamper(
        `update callsheet.checkpoints set key = '\\x${key.publicKey.der.toString('hex')}'
          where size = ${LAST}`,
      )
    },
    [
      ['key_exchanged', over(LAST)],
      ['note_differs', noteOver(LAST)],
    ],
  ],
  [
    'the root in a checkpoint changed',
    (stage) =>
      replace(stage, LAST, (text) => text.replace(/^.{44}$/m, OTHER_ROOT.toString('base64'))),
    [
      ['checkpoint_wrong', over(LAST)],
      ['note_differs', noteOver(LAST)],
      ['signature_wrong', over(LAST)],
    ],
  ],
  [
    'a checkpoint replaced by other text',
    sqlOf(`update callsheet.checkpoints set note = 'x' where size = ${SECOND}`),
    [
      ['checkpoint_unreadable', over(SECOND)],
      ['note_differs', noteOver(SECOND)],
    ],
  ],
  [
    'a hash in a tile changed',
    sqlOf(`update callsheet.tree_tiles set hashes = set_byte(hashes, 99, get_byte(hashes, 99) # 1)
      where start = 0`),
    [['tile_wrong', 'tile 0 of level 0']],
  ],
  [
    'a part of a tile deleted',
    sqlOf(`delete from callsheet.tree_tiles where start = ${FILLED}`),
    [['tile_wrong', 'tile 0 of level 0']],
  ],
]

/** Tampers with single checkpoints by a key holder, who signs no other checkpoint anew. */
export const HOLDER_LOG: readonly Tamper[] = [
  [
    'a checkpoint of another log inserted',
    (stage) => resign(stage, SECOND, { origin: 'callsheet/other' }),
    [
      ['checkpoint_wrong', over(SECOND)],
      ['note_differs', noteOver(SECOND)],
    ],
  ],
  [
    'a checkpoint of another size inserted',
    (stage) => resign(stage, SECOND, { size: FILLED }),
    [
      ['checkpoint_wrong', over(SECOND)],
      ['note_differs', noteOver(SECOND)],
    ],
  ],
  [
    'a tree that the next one does not continue',
    async (stage) => {
      await resign(stage, SECOND, { root: OTHER_ROOT })
      await writeFile(noteOf(stage, SECOND), await checkpointIn(stage, SECOND))
    },
    [['checkpoint_forked', over(SECOND)]],
  ],
  [
    'a second tree of the same size',
    (stage) => resign(stage, LAST, { root: OTHER_ROOT }),
    [
      ['checkpoint_forked', `${over(LAST)} and the store's note of it`],
      ['checkpoint_wrong', over(LAST)],
      ['note_differs', noteOver(LAST)],
    ],
  ],
]

type OnStage = Parameters<Tamper[1]>[0]

async function replace(
  stage: OnStage,
  size: number,
  change: (checkpoint: string) => string,
): Promise<void> {
  const changed = change(await checkpointIn(stage, size))
  await stage.tamper(`update callsheet.checkpoints set note = '${changed}' where size = ${size}`)
}

/** Signs a changed checkpoint over `of` entries, with the account's key unless another is given. */
async function resign(
  stage: OnStage,
  of: number,
  { key = stage.key, ...more }: Partial<Checkpoint> & { key?: SigningKey },
): Promise<void> {
  await replace(stage, of, (text) => {
    const { origin = '', size = 0, root = OTHER_ROOT } = readCheckpoint(text) ?? {}
    return signCheckpoint(key, { origin, size, root, ...more })
  })
}

async function checkpointIn({ warehouse }: EvidenceStage, size: number): Promise<string> {
  const rows = await warehouse.transaction((tx) => readCheckpoints(tx, ACCOUNT))
  return rows.find((row) => row.size === size)?.note ?? ''
}

const flipped = (_all: string, one: string, rest: string): string =>
  `${one === 'A' ? 'B' : 'A'}${rest}`
