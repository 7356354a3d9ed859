import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '../../src/evidence/digest.ts'
import { type ErasedKind, erasureOf } from '../../src/evidence/erased-kinds.ts'
import type { EvidenceStage } from '../helpers/evidence-stage.ts'
import { named } from '../helpers/named-subject.ts'
import { LAST, OF_FIRST, treeWrong } from './tampered-entries.ts'
import { sqlOf, type TAMPERED } from './tampered-evidence.ts'

const SUBJECT = 'whiteboard_activities/s-1/a-2'
const RECORD = `delete from svc.whiteboard_activities where session_id = 's-1' and id = 'a-2'`
const ROW = `delete from callsheet.files where parent = 's-1' and item = 'a-2'`
const salts = (where: string, subject = SUBJECT): string =>
  `delete from callsheet.manifest_salts s using callsheet.manifest m
    where m.account = s.account and m.seq = s.seq and m.subject = ${named(subject)} and ${where}`
const OF_RECORD = `m.kind = 'record'`
const OF_FILE = `m.kind in ('file', 'removal')`

const otherSalt = (kind: string): string =>
  `update callsheet.manifest_salts s set salt = decode(md5(s.seq::text), 'hex')
    from callsheet.manifest m where m.account = s.account and m.seq = s.seq and m.kind = '${kind}'
      and m.subject = ${named(SUBJECT)}`

const takeBytes = ({ directory }: EvidenceStage): Promise<void> =>
  rm(join(directory, 'files', sha256Hex('file of s-1 a-2')))

/** As an erasure does: the salts of these kinds go, and an entry says so. */
async function erased(stage: EvidenceStage, ...kinds: ErasedKind[]): Promise<void> {
  for (const kind of kinds) await stage.tamper(salts(kind === 'record' ? OF_RECORD : OF_FILE))
  await stage.vouch([{ kind: 'erasure', subject: SUBJECT, ...erasureOf(kinds) }])
}

const NAMED = /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/
const OF_LEDGER = /^whiteboard_activities\/s-1\/a-2, entry \d+$/

/** What somebody who may write all tables takes out of them, with everything that would tell of it. */
export const TAKEN: typeof TAMPERED = [
  [
    'an activity that was taken with its salt',
    sqlOf(RECORD, salts(OF_RECORD)),
    [['salt_missing', NAMED]],
  ],
  [
    'a session that was taken with its salt, its participants and what it was before',
    sqlOf(
      `delete from svc.whiteboard_sessions where id = 's-1'`,
      `delete from history.whiteboard_sessions where id = 's-1'`,
      `delete from svc.whiteboard_participants where session_id = 's-1'`,
      salts('true', 'whiteboard_sessions/s-1'),
    ),
    [['salt_missing', /^the record whiteboard_sessions\/s-1, entry \d+$/]],
  ],
  [
    'an activity that was taken with its file, its bytes and every salt',
    async (stage) => {
      for (const statement of [RECORD, ROW, salts('true')]) await stage.tamper(statement)
      await takeBytes(stage)
    },
    [
      ['entry_without_file', OF_LEDGER],
      ['salt_missing', NAMED],
      ['salt_missing', OF_LEDGER],
    ],
  ],
  [
    'a file that was taken with its salt, as if it were still to be fetched',
    async (stage) => {
      await stage.tamper(`update callsheet.files set state = 'pending', sha256 = null, size = null
        where parent = 's-1' and item = 'a-2'`)
      await stage.tamper(salts(OF_FILE))
      await takeBytes(stage)
    },
    [
      ['entry_without_file', OF_LEDGER],
      ['salt_missing', OF_LEDGER],
    ],
  ],
  ['the salt of a file that is there taken', sqlOf(salts(OF_FILE)), [['salt_missing', OF_LEDGER]]],
  [
    'an activity that was taken with its row of the manifest',
    sqlOf(
      RECORD,
      salts(OF_RECORD),
      `delete from callsheet.manifest where kind = 'record' and subject = ${named(SUBJECT)}`,
    ),
    [
      ['chain_broken', /^entry \d+ /],
      ['entry_missing', /^entry \d+$/],
      ['root_wrong', OF_FIRST],
      ...treeWrong('checkpoints of heads 1 to 3'),
    ],
  ],
  [
    'an entry that was taken from behind the newest head, and left its salt',
    async (stage) => {
      await erased(stage, 'record')
      await stage.tamper(`delete from callsheet.manifest where kind = 'erasure'`)
    },
    [
      ['entry_missing', `entry ${LAST + 1}`],
      ['salt_missing', NAMED],
    ],
  ],
  ['the salt of an activity exchanged', sqlOf(otherSalt('record')), [['record_changed', NAMED]]],
  [
    'the salt of an activity exchanged that was taken',
    sqlOf(RECORD, otherSalt('record')),
    [['record_missing', NAMED]],
  ],
  ['the salt of a file exchanged', sqlOf(otherSalt('file')), [['ledger_changed', OF_LEDGER]]],
  [
    'a removed file that was struck from the ledger',
    async (stage) => {
      await stage.vouch([
        {
          kind: 'removal',
          subject: SUBJECT,
          size: 15,
          content: Buffer.from(sha256Hex('file of s-1 a-2'), 'hex'),
        },
      ])
      await stage.tamper(ROW)
      await takeBytes(stage)
    },
    [['entry_without_file', `${SUBJECT}, entry ${LAST + 1}`]],
  ],
  [
    'a file that was taken behind the erasure of its record',
    async (stage) => {
      await stage.tamper(RECORD)
      await erased(stage, 'record')
      await stage.tamper(ROW)
      await stage.tamper(salts(OF_FILE))
      await takeBytes(stage)
    },
    [
      ['entry_without_file', OF_LEDGER],
      ['salt_missing', OF_LEDGER],
    ],
  ],
  [
    'an activity that was taken behind the erasure of its file',
    async (stage) => {
      await erased(stage, 'file')
      for (const statement of [RECORD, ROW, salts(OF_RECORD)]) await stage.tamper(statement)
      await takeBytes(stage)
    },
    [['salt_missing', NAMED]],
  ],
  [
    'what an erasure left of an activity, taken with its salt',
    async (stage) => {
      await erased(stage, 'record')
      await stage.append()
      await stage.tamper(`update svc.whiteboard_activities set _run_id = 3
        where session_id = 's-1' and id = 'a-2'`)
      await stage.append()
      for (const statement of [RECORD, salts(OF_RECORD)]) await stage.tamper(statement)
    },
    [['salt_missing', new RegExp(`^the record .*, entry ${LAST + 2}$`)]],
  ],
  [
    'the salt of an erasure taken',
    async (stage) => {
      await stage.tamper(RECORD)
      await erased(stage, 'record')
      await stage.tamper(salts(`m.kind = 'erasure'`))
    },
    [['salt_missing', new RegExp(`^the record .*, entry ${LAST + 1}$`)]],
  ],
  [
    'nothing where activity and file were erased by right',
    async (stage) => {
      for (const statement of [RECORD, ROW]) await stage.tamper(statement)
      await takeBytes(stage)
      await erased(stage, 'record', 'file')
      await stage.append()
    },
    [],
  ],
]
