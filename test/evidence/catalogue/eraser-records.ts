import { rm } from 'node:fs/promises'
import { sql } from 'kysely'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { type ErasedKind, erasureOf } from '../../../src/evidence/log/erased-kinds.ts'
import type { CastStage } from '../../helpers/cast-stage.ts'
import { ACCOUNT } from '../../helpers/evidence-stage.ts'
import { named } from '../../helpers/named-subject.ts'
import { statingRows } from '../../helpers/stated-rows.ts'
import { ALL_THREE, LAST, treeWrong } from './owner-entries.ts'
import { all, by, did, fileIn, sqlOf, type Tamper } from './tamper.ts'
import { A2, DID_ACTIVITIES, ONE_ACTIVITY } from './writer-records.ts'

export const SUBJECT = 'whiteboard_activities/s-1/a-2'
export const RECORD = `delete from svc.whiteboard_activities ${A2}`
export const ROW = `delete from callsheet.files where parent = 's-1' and item = 'a-2'`
export const salts = (where: string, subject = SUBJECT): string =>
  `update callsheet.manifest m set salt = null
    where m.subject = ${named(subject)} and ${where}`
export const OF_RECORD = `m.kind = 'record'`
const OF_FILE = `m.kind in ('file', 'removal')`

const otherSalt = (kind: string): string =>
  `update callsheet.manifest m set salt = decode(md5(m.seq::text), 'hex')
    where m.kind = '${kind}' and m.subject = ${named(SUBJECT)}`

const takeBytes = (stage: CastStage): Promise<void> => rm(fileIn(stage, 'file of s-1 a-2'))

/** Acts as an authorized erasure: deletes the salts of these kinds and adds an entry that the key signs. */
async function erased(stage: CastStage, ...kinds: ErasedKind[]): Promise<void> {
  for (const kind of kinds) await stage.as('eraser', salts(kind === 'record' ? OF_RECORD : OF_FILE))
  await stage.vouch([{ kind: 'erasure', subject: SUBJECT, ...erasureOf(kinds) }])
}

export const NAMED = /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/
export const OF_LEDGER = /^whiteboard_activities\/s-1\/a-2, entry \d+$/

/** Deletions by the eraser without a request, each with its traces. */
export const ERASER_RECORDS: readonly Tamper[] = [
  [
    'an activity deleted with its salt',
    by('eraser', RECORD, salts(OF_RECORD)),
    [['row_missing', ONE_ACTIVITY], DID_ACTIVITIES, ['salt_missing', NAMED]],
  ],
  [
    'a session deleted with salt, participants and previous versions',
    by(
      'eraser',
      `delete from svc.whiteboard_sessions where id = 's-1'`,
      `delete from history.whiteboard_sessions where id = 's-1'`,
      `delete from svc.whiteboard_participants where session_id = 's-1'`,
      salts('true', 'whiteboard_sessions/s-1'),
    ),
    [
      ['row_missing', /^1 row of svc.whiteboard_participants that batch /],
      ['row_missing', /^1 row of svc.whiteboard_sessions that batch /],
      did('svc.whiteboard_participants'),
      did('svc.whiteboard_sessions'),
      ['salt_missing', /^the record whiteboard_sessions\/s-1, entry \d+$/],
    ],
  ],
  [
    'an activity deleted with its file, bytes and salts',
    async (stage) => {
      for (const statement of [RECORD, ROW, salts('true')]) await stage.as('eraser', statement)
      await takeBytes(stage)
    },
    [
      ['entry_without_file', OF_LEDGER],
      ['row_missing', ONE_ACTIVITY],
      DID_ACTIVITIES,
      ['salt_missing', NAMED],
      ['salt_missing', OF_LEDGER],
    ],
  ],
  [
    'a file deleted with its salt, and marked as pending',
    async (stage) => {
      await stage.as(
        'eraser',
        `update callsheet.files set state = 'pending', sha256 = null, size = null
        where parent = 's-1' and item = 'a-2'`,
      )
      await stage.as('eraser', salts(OF_FILE))
      await takeBytes(stage)
    },
    [
      ['entry_without_file', OF_LEDGER],
      ['salt_missing', OF_LEDGER],
    ],
  ],
  [
    'the salt of a stored file deleted',
    by('eraser', salts(OF_FILE)),
    [['salt_missing', OF_LEDGER]],
  ],
  [
    'a removed file deleted from the ledger',
    async (stage) => {
      await stage.vouch([
        {
          kind: 'removal',
          subject: SUBJECT,
          size: 15,
          content: Buffer.from(sha256Hex('file of s-1 a-2'), 'hex'),
        },
      ])
      await stage.as('eraser', ROW)
      await takeBytes(stage)
    },
    [['entry_without_file', `${SUBJECT}, entry ${LAST + 1}`]],
  ],
  [
    'a file deleted after the erasure of its record',
    async (stage) => {
      await stage.as('eraser', RECORD)
      await erased(stage, 'record')
      await stage.as('eraser', ROW)
      await stage.as('eraser', salts(OF_FILE))
      await takeBytes(stage)
    },
    [
      ['entry_without_file', OF_LEDGER],
      ['row_missing', ONE_ACTIVITY],
      DID_ACTIVITIES,
      ['salt_missing', OF_LEDGER],
    ],
  ],
  [
    'an activity deleted after the erasure of its file',
    async (stage) => {
      await erased(stage, 'file')
      for (const statement of [RECORD, ROW, salts(OF_RECORD)]) await stage.as('eraser', statement)
      await takeBytes(stage)
    },
    [['row_missing', ONE_ACTIVITY], DID_ACTIVITIES, ['salt_missing', NAMED]],
  ],
  [
    'the rest of an erased activity deleted with its salt',
    async (stage) => {
      await erased(stage, 'record')
      await stage.append()
      await stage.as(
        'eraser',
        `update svc.whiteboard_activities set _run_id = 3
        where session_id = 's-1' and id = 'a-2'`,
      )
      await stage.append()
      for (const statement of [RECORD, salts(OF_RECORD)]) await stage.as('eraser', statement)
    },
    [
      ['row_missing', ONE_ACTIVITY],
      DID_ACTIVITIES,
      DID_ACTIVITIES,
      ['salt_missing', new RegExp(`^the record .*, entry ${LAST + 2}$`)],
    ],
  ],
  [
    'the salt of an erasure deleted',
    async (stage) => {
      await stage.as('eraser', RECORD)
      await erased(stage, 'record')
      await stage.as('eraser', salts(`m.kind = 'erasure'`))
    },
    [
      ['row_missing', ONE_ACTIVITY],
      DID_ACTIVITIES,
      ['salt_missing', new RegExp(`^the record .*, entry ${LAST + 1}$`)],
    ],
  ],
]

/** Deletions and changed salts with the rights of the owner. */
export const OWNER_TAKEN: readonly Tamper[] = [
  ['the salt of an activity replaced', sqlOf(otherSalt('record')), [['record_changed', NAMED]]],
  [
    'the salt of a deleted activity replaced',
    all(by('eraser', RECORD), sqlOf(otherSalt('record'))),
    [['record_missing', NAMED], ['row_missing', ONE_ACTIVITY], DID_ACTIVITIES],
  ],
  ['the salt of a file replaced', sqlOf(otherSalt('file')), [['ledger_changed', OF_LEDGER]]],
  [
    'an activity deleted with its manifest row',
    sqlOf(
      RECORD,
      salts(OF_RECORD),
      `delete from callsheet.manifest where kind = 'record' and subject = ${named(SUBJECT)}`,
    ),
    [
      ['chain_broken', /^entry \d+ /],
      ['entry_missing', /^entry \d+$/],
      ['row_missing', ONE_ACTIVITY],
      ...treeWrong(ALL_THREE),
    ],
  ],
  [
    'an entry deleted after the newest checkpoint',
    async (stage) => {
      await erased(stage, 'record')
      await stage.tamper(`delete from callsheet.manifest where kind = 'erasure'`)
    },
    [['salt_missing', NAMED]],
  ],
]

/** Authorized erasures, which must cause no finding. */
export const ERASED_BY_RIGHT: readonly Tamper[] = [
  [
    'activity and file were erased as requested',
    async (stage) => {
      await stage.withRole('eraser', (warehouse) =>
        statingRows({ warehouse, key: stage.key, account: ACCOUNT }, async (tx) => {
          await sql.raw(RECORD).execute(tx)
        }),
      )
      await stage.as('eraser', ROW)
      await takeBytes(stage)
      await erased(stage, 'record', 'file')
      await stage.append()
    },
    [],
  ],
]
