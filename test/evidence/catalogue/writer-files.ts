import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { erasureOf } from '../../../src/evidence/log/erased-kinds.ts'
import { addFile, type EvidenceStage } from '../../helpers/evidence-stage.ts'
import { named } from '../../helpers/named-subject.ts'
import { LAST } from './owner-entries.ts'
import { all, by, fileIn, type Tamper } from './tamper.ts'

const SUBJECT = 'whiteboard_activities/s-1/a-1'
const FILE = 'file of s-1 a-1'
const OTHER = { subject: SUBJECT, size: 5, content: Buffer.from(sha256Hex('other'), 'hex') }
const A1 = `where parent = 's-1' and item = 'a-1'`
const NAMED = /^whiteboard_activities\/s-1\/a-1, entry \d+$/

/** Exchanges a file in the store and the ledger, as the role that syncs can with the triggers on. */
export async function exchange(stage: EvidenceStage): Promise<void> {
  await rm(fileIn(stage, FILE))
  writeFileSync(fileIn(stage, 'other'), 'other')
  await stage.warehouse.withClient((client) =>
    client.query(`update callsheet.files set sha256 = sha256('other'), size = 5 ${A1}`),
  )
}

const takeFile = (stage: EvidenceStage): Promise<void> => rm(fileIn(stage, FILE))
const takeOther = (stage: EvidenceStage): Promise<void> => rm(fileIn(stage, 'other'))
const loseSalt = by(
  'eraser',
  `update callsheet.manifest m set salt = null
    where m.kind = 'file' and m.subject = ${named(SUBJECT)}`,
)

export const enter = (
  stage: Pick<EvidenceStage, 'vouch'>,
  kind: 'file' | 'removal',
): Promise<void> => stage.vouch([{ kind, ...OTHER }])

/** Adds an erasure of the record with the file's subject, which does not affect the file. */
const eraseRecord = (stage: Pick<EvidenceStage, 'vouch'>): Promise<void> =>
  stage.vouch([{ ...OTHER, kind: 'erasure', ...erasureOf(['record']) }])

async function runFinds(stage: EvidenceStage): Promise<void> {
  const { files, removals, problems } = await stage.append()
  if (files + removals > 0) throw new Error('an entry of what was put there is signed')
  if (!problems.some((problem) => problem.includes(SUBJECT)))
    throw new Error('the run says nothing of it')
}

/** Tampers by the writer with a file in ledger and store alike, some with runs in between. */
export const WRITER_FILES: readonly Tamper[] = [
  ['a file replaced in store and ledger', exchange, [['ledger_changed', NAMED]]],
  [
    'a file replaced in both, and a run since',
    all(exchange, runFinds, runFinds),
    [['ledger_changed', NAMED]],
  ],
  [
    'a file replaced in both after an erasure of its record, and a run since',
    all(exchange, eraseRecord, runFinds),
    [['ledger_changed', NAMED]],
  ],
  [
    'a file replaced in both and marked as removed, and a run since',
    all(
      exchange,
      by(
        'writer',
        `update callsheet.files set state = 'removed', bytes_gone_at = now(),
          state_at = now() - interval '1 day', entered = false ${A1}`,
      ),
      takeOther,
      runFinds,
    ),
    [
      ['ledger_changed', NAMED],
      ['removal_without_entry', SUBJECT],
    ],
  ],
  [
    'a removed file marked as stored again',
    async (stage) => {
      await stage.removeFile({ session: 's-1', id: 'a-1' })
      await stage.append()
      await stage.as(
        'writer',
        `update callsheet.files set state = 'stored', state_at = now() + interval '1 day',
          entered = false ${A1}`,
      )
      await runFinds(stage)
    },
    [['ledger_changed', `${SUBJECT}, entry ${LAST + 1}`]],
  ],
  [
    'the size in the ledger changed',
    by('writer', `update callsheet.files set size = 1 ${A1}`),
    [['size_wrong', `the file of ${SUBJECT}`]],
  ],
  [
    'the size in the ledger changed beyond its entry’s range',
    by('writer', `update callsheet.files set size = 5000 ${A1}`),
    [
      ['ledger_changed', NAMED],
      ['size_wrong', `the file of ${SUBJECT}`],
    ],
  ],
  [
    'a removal without an entry',
    all(takeFile, by('writer', `update callsheet.files set state = 'removed' ${A1}`)),
    [['removal_without_entry', SUBJECT]],
  ],
  [
    'a file marked as missing at the service',
    all(
      takeFile,
      by(
        'writer',
        `update callsheet.files set state = 'expired', sha256 = null, size = null ${A1}`,
      ),
    ),
    [['entry_without_file', NAMED]],
  ],
  [
    'a file inserted into the ledger after the checkpoint',
    async (stage) => {
      await addFile(stage, { runId: 1, session: 's-1', id: 'new', content: 'new' })
      await stage.as(
        'writer',
        `update callsheet.files set state_at = now() - interval '1 day', entered = true
          where item = 'new'`,
      )
    },
    [['file_without_entry', 'whiteboard_activities/s-1/new']],
  ],
  [
    'a file assigned to another activity',
    by('writer', `update callsheet.files set item = 'other' ${A1}`),
    [
      ['entry_without_file', NAMED],
      ['file_without_entry', 'whiteboard_activities/s-1/other'],
    ],
  ],
]

/** Tampers with a file by the eraser, who can remove its salt too. */
export const ERASER_FILES: readonly Tamper[] = [
  [
    'a file replaced in both, its salt deleted, and a run since',
    all(exchange, loseSalt, runFinds),
    [['salt_missing', NAMED]],
  ],
]

/** Tampers with a file by a key holder, who can sign entries too. */
export const HOLDER_FILES: readonly Tamper[] = [
  [
    'a file replaced in both, then entered and signed',
    all(exchange, (stage) => enter(stage, 'file'), signed),
    [['file_replaced', `${SUBJECT}, entry ${LAST + 1}`]],
  ],
  [
    'a file replaced in both, its salt deleted, then entered and signed',
    all(exchange, loseSalt, (stage) => enter(stage, 'file'), signed),
    [
      ['file_replaced', `${SUBJECT}, entry ${LAST + 1}`],
      ['salt_missing', NAMED],
    ],
  ],
  [
    'a file removed and stored again with other bytes, all entered',
    async (stage) => {
      await stage.removeFile({ session: 's-1', id: 'a-1' })
      await stage.append()
      await exchange(stage)
      await stage.as('writer', `update callsheet.files set state = 'stored', entered = false ${A1}`)
      await enter(stage, 'file')
      await stage.append()
    },
    [['file_replaced', `${SUBJECT}, entry ${LAST + 2}`]],
  ],
  [
    'a file replaced in both and removed, its removal entered and signed',
    all(
      exchange,
      by('writer', `update callsheet.files set state = 'removed', bytes_gone_at = now() ${A1}`),
      takeOther,
      (stage) => enter(stage, 'removal'),
      signed,
    ),
    [['file_replaced', `${SUBJECT}, entry ${LAST + 1}`]],
  ],
]

/** Erases the record of a stored file; throws if the next run reports the file. */
export async function eraseAndRun(stage: EvidenceStage): Promise<void> {
  await eraseRecord(stage)
  await stage.tamper('update callsheet.files set entered = false')
  const { files, problems } = await stage.append()
  if (files > 0 || problems.length > 0) throw new Error('a run takes the file for another')
}

async function signed(stage: EvidenceStage): Promise<void> {
  await stage.append()
}
