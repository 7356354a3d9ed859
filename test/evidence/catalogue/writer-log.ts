import { addEntries } from '../../../src/evidence/add-entries.ts'
import { NOTHING_BEFORE } from '../../../src/evidence/log/digest.ts'
import { ACCOUNT, addRun, addSession, newKey } from '../../helpers/evidence-stage.ts'
import { ASKED } from './eraser-rows.ts'
import { addCheckpoint, addEntry, ERASURE, forge, forgeWithLastWord, UNNAMED } from './forging.ts'
import { LAST } from './owner-entries.ts'
import { by, type Tamper } from './tamper.ts'

const { subject: SUBJECT } = ERASURE
const SLICE = 'ledger/slices/whiteboard_sessions/1/999'
const STRANGE = 'the cosignature of w.example/1 for the checkpoint over 9 entries'
const NEWEST = `the checkpoint over ${LAST} entries`
const UNEXPLAINED = [['entry_unexplained', `entry ${LAST + 1} (${SUBJECT})`]] as const

/** Rows that the writer adds to the evidence tables without the key; it can change none of them. */
export const WRITER_LOG: readonly Tamper[] = [
  ['an erasure entered without a request', forge, UNEXPLAINED],
  [
    'an erasure entered with a voucher of another key',
    (stage) => forge(stage, newKey()),
    UNEXPLAINED,
  ],
  [
    'an erasure entered with the voucher of another entry',
    async (stage) => {
      await stage.vouch([{ ...ERASURE, subject: 'whiteboard_activities/s-1/a-3' }])
      await forgeWithLastWord(stage)
    },
    [['entry_unexplained', `entry ${LAST + 2} (${SUBJECT})`]],
  ],
  [
    'an unread slice changed to complete, with a statement of it',
    async (stage) => {
      await stage.as('writer', A_SLICE)
      const statement = { kind: 'statement', subject: SLICE, size: 1, content: Buffer.alloc(32) }
      await stage.withRole('writer', async (warehouse) => {
        await warehouse.transaction((tx) =>
          addEntries(tx, ACCOUNT, [{ ...statement, kind: 'statement' as const }]),
        )
      })
      const { signed, unexplained } = await stage.append()
      if (signed > 0 || unexplained !== 1) throw new Error('a statement is signed without the key')
    },
    [
      ['entry_unexplained', `entry ${LAST + 1} (${SLICE})`],
      ['slice_state_wrong', 'the state of whiteboard_sessions, all'],
      ['stated_nowhere', 'the slices of whiteboard_sessions by run 1, batch 999'],
    ],
  ],
  [
    'an entry that skips a number',
    (stage) => addEntry(stage, { seq: LAST + 2, prev: undefined }),
    [
      ['chain_broken', new RegExp(`^entry ${LAST + 2} `)],
      ['entry_missing', `entry ${LAST + 1}`],
      ['salt_missing', `the record ${UNNAMED}, entry ${LAST + 2}`],
    ],
  ],
  [
    'an entry that starts its own chain',
    (stage) => addEntry(stage, { seq: LAST + 1, prev: NOTHING_BEFORE }),
    [
      ['chain_broken', new RegExp(`^entry ${LAST + 1} `)],
      ['salt_missing', `the record ${UNNAMED}, entry ${LAST + 1}`],
    ],
  ],
  [
    'a checkpoint added by its own key',
    (stage) => addCheckpoint(stage, newKey(), { more: 1 }),
    [
      ['entry_missing', `entry ${LAST + 1}`],
      ['key_exchanged', `the checkpoint over ${LAST + 1} entries`],
    ],
  ],
  [
    'a log continued under another name, which would excuse lost checkpoints',
    (stage) => addCheckpoint(stage, newKey(), { after: '/after-999' }),
    [['key_exchanged', NEWEST]],
  ],
  [
    'the newest checkpoint inserted again, under another log name',
    async (stage) => {
      await stage.as(
        'writer',
        `insert into callsheet.checkpoints
          select account, origin || '/after-999', size, note, key, at from callsheet.checkpoints
          where size = ${LAST}`,
      )
    },
    [['checkpoint_wrong', NEWEST]],
  ],
  [
    'invalid bytes as a time stamp of the newest checkpoint',
    by('writer', aMark({ size: LAST, kind: 'stamp', who: 'https://stamps.example' })),
    [['anchor_wrong', `anchors/0000${LAST}.tsr`]],
  ],
  [
    'a time stamp of a checkpoint that was never signed',
    by('writer', aMark({ size: 9, kind: 'stamp', who: 'https://stamps.example' })),
    [['end_cut', 'the anchor of the checkpoint over 9 entries (https://stamps.example)']],
  ],
  [
    'a cosignature that no witness gave',
    by('writer', aMark({ size: LAST, kind: 'cosignature', who: 'w.example/1+00000000+BAAA' })),
    [['cosignature_wrong', `the cosignature of w.example/1 for ${NEWEST}`]],
  ],
  [
    'a cosignature of a checkpoint that was never signed',
    by('writer', aMark({ size: 9, kind: 'cosignature', who: 'w.example/1+00000000+BAAA' })),
    [
      ['end_cut', STRANGE],
      ['note_missing', `the store's note of ${STRANGE}`],
    ],
  ],
  [
    'tiles added outside the tree',
    by(
      'writer',
      `insert into callsheet.tree_tiles
        select account, level + 1, tile, start, hashes from callsheet.tree_tiles where start = 0
        union all
        select account, level, tile + 4, start, hashes from callsheet.tree_tiles where start = 0`,
    ),
    [
      ['tile_wrong', 'tile 0 of level 1'],
      ['tile_wrong', 'tile 4 of level 0'],
    ],
  ],
  [
    'an entry assigned to a later record to which it does not commit',
    async (stage) => {
      await addEntry(stage, { seq: LAST + 1, prev: undefined, about: 'whiteboard_sessions/next' })
      await addSession(stage, { runId: await addRun(stage), id: 'next' })
      await stage.append()
    },
    [
      ['chain_broken', new RegExp(`^entry ${LAST + 1} `)],
      ['salt_missing', `the record whiteboard_sessions/next, entry ${LAST + 1}`],
      ['subject_wrong', `entry ${LAST + 1} (${UNNAMED})`],
    ],
  ],
  [
    'an erasure request inserted',
    by('writer', ASKED),
    [['request_unexplained', /^the request \d+ for an erasure$/]],
  ],
]

/** Erasure requests that the receiver of notifications forges. */
export const RECEIVER: readonly Tamper[] = [
  [
    'an erasure request inserted without a signature',
    by('receiver', ASKED.replace('command', 'notification')),
    [['request_unexplained', /^the request \d+ for an erasure$/]],
  ],
]

function aMark({ size, kind, who }: { size: number; kind: string; who: string }): string {
  return `insert into callsheet.marks (account, origin, size, kind, who, body)
    values ('main', 'callsheet/main', ${size}, '${kind}', '${who}', 'x')`
}

const A_SLICE = `insert into callsheet.slices
  (account, stream, slice, run_id, state, owned_from, owned_to, requested_at, finished_at, pages, received,
    inserted, updated, unchanged, ignored, quarantined, deleted, batch)
  values ('main', 'whiteboard_sessions', 'all', 1, 'complete', '2026-06-01', '2026-06-30', now(), now(), 1, 0,
    0, 0, 0, 0, 0, 0, 999)`
