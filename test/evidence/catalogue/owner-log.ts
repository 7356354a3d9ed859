import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Checkpoint,
  readCheckpoint,
  signCheckpoint,
} from '../../../src/evidence/log/checkpoint.ts'
import type { SigningKey } from '../../../src/evidence/log/signing-key.ts'
import { readHeads } from '../../../src/evidence/sql/heads.ts'
import { ACCOUNT, ADDED, type EvidenceStage, FILLED, newKey } from '../../helpers/evidence-stage.ts'
import { sqlOf, type Tamper } from './tamper.ts'

const OTHER_ROOT = Buffer.alloc(32, 7)
const noteOf = ({ directory }: EvidenceStage, number: number): string =>
  join(directory, 'notes', `checkpoint-0000${FILLED + ADDED * (number - 1)}`)

/** What the owner of the tables does to checkpoints and tiles. */
export const OWNER_LOG: readonly Tamper[] = [
  [
    'the signature of a checkpoint changed',
    (stage) => replace(stage, 2, (text) => text.replace(/(.)(.{9}\n)$/, flipped)),
    [
      ['note_differs', "the store's note of the checkpoint of head 2"],
      ['signature_wrong', 'the checkpoint of head 2'],
    ],
  ],
  [
    'a checkpoint signed anew with another key',
    (stage) => resign(stage, 3, { key: newKey() }),
    [
      ['note_differs', "the store's note of the checkpoint of head 3"],
      ['signature_wrong', 'the checkpoint of head 3'],
    ],
  ],
  [
    'the root in a checkpoint changed',
    (stage) => replace(stage, 3, (text) => text.replace(/^.{44}$/m, OTHER_ROOT.toString('base64'))),
    [
      ['checkpoint_wrong', 'the checkpoint of head 3'],
      ['note_differs', "the store's note of the checkpoint of head 3"],
      ['signature_wrong', 'the checkpoint of head 3'],
    ],
  ],
  [
    'the newest checkpoint taken, with its note and its part of the tree',
    async (stage) => {
      await stage.tamper('update callsheet.heads set checkpoint = null where number = 3')
      await stage.tamper(`delete from callsheet.tree_tiles where start = ${FILLED + ADDED}`)
      await rm(noteOf(stage, 3))
    },
    [['checkpoint_missing', 'the checkpoint of head 3']],
  ],
  [
    'the first checkpoint taken',
    sqlOf('update callsheet.heads set checkpoint = null where number = 1'),
    [
      ['checkpoint_missing', 'the checkpoint of head 1'],
      ['note_differs', "the store's note of the checkpoint of head 1"],
    ],
  ],
  [
    'what is no checkpoint put in the place of one',
    sqlOf(`update callsheet.heads set checkpoint = line where number = 2`),
    [
      ['checkpoint_unreadable', 'the checkpoint of head 2'],
      ['note_differs', "the store's note of the checkpoint of head 2"],
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

/** What whoever holds the very key does to checkpoints without signing the rest of the log anew. */
export const HOLDER_LOG: readonly Tamper[] = [
  [
    'a checkpoint of another log put in',
    (stage) => resign(stage, 2, { origin: 'callsheet/other' }),
    [
      ['checkpoint_wrong', 'the checkpoint of head 2'],
      ['note_differs', "the store's note of the checkpoint of head 2"],
    ],
  ],
  [
    'a checkpoint of another size put in',
    (stage) => resign(stage, 2, { size: FILLED }),
    [
      ['checkpoint_wrong', 'the checkpoint of head 2'],
      ['note_differs', "the store's note of the checkpoint of head 2"],
    ],
  ],
  [
    'a tree that the next one does not go on from',
    async (stage) => {
      await resign(stage, 2, { root: OTHER_ROOT })
      await writeFile(noteOf(stage, 2), await checkpointIn(stage, 2))
    },
    [['checkpoint_forked', 'the checkpoints of heads 2 and 3']],
  ],
  [
    'a second tree of the same size',
    (stage) => resign(stage, 3, { root: OTHER_ROOT }),
    [
      ['checkpoint_forked', "the checkpoint of head 3 and the store's note of it"],
      ['checkpoint_wrong', 'the checkpoint of head 3'],
      ['note_differs', "the store's note of the checkpoint of head 3"],
    ],
  ],
]

type OnStage = Parameters<Tamper[1]>[0]

async function replace(
  stage: OnStage,
  number: number,
  change: (checkpoint: string) => string,
): Promise<void> {
  const changed = change(await checkpointIn(stage, number))
  await stage.tamper(
    `update callsheet.heads set checkpoint = '${changed}' where number = ${number}`,
  )
}

/** What somebody does who has a key: the very one, unless another is given. */
async function resign(
  stage: OnStage,
  number: number,
  { key = stage.key, ...more }: Partial<Checkpoint> & { key?: SigningKey },
): Promise<void> {
  await replace(stage, number, (text) => {
    const { origin = '', size = 0, root = OTHER_ROOT } = readCheckpoint(text) ?? {}
    return signCheckpoint(key, { origin, size, root, ...more })
  })
}

async function checkpointIn({ warehouse }: EvidenceStage, number: number): Promise<string> {
  const heads = await warehouse.transaction((tx) => readHeads(tx, ACCOUNT))
  return heads.find((head) => head.number === number)?.checkpoint ?? ''
}

const flipped = (_all: string, one: string, rest: string): string =>
  `${one === 'A' ? 'B' : 'A'}${rest}`
