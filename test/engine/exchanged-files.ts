import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '../../src/evidence/digest.ts'
import type { EvidenceStage } from '../helpers/evidence-stage.ts'
import { named } from '../helpers/named-subject.ts'
import { LAST } from './tampered-entries.ts'
import type { TAMPERED } from './tampered-evidence.ts'

const SUBJECT = 'whiteboard_activities/s-1/a-1'
const OTHER = { subject: SUBJECT, size: 5, content: Buffer.from(sha256Hex('other'), 'hex') }

/** As the role that syncs can, which may write the ledger and the store: the guards are on. */
export async function exchange({ warehouse, directory }: EvidenceStage): Promise<void> {
  await rm(join(directory, 'files', sha256Hex('file of s-1 a-1')))
  writeFileSync(join(directory, 'files', sha256Hex('other')), 'other')
  await warehouse.withClient((client) =>
    client.query(`update callsheet.files set sha256 = sha256('other'), size = 5
      where parent = 's-1' and item = 'a-1'`),
  )
}

const loseSalt = (stage: EvidenceStage): Promise<void> =>
  stage.tamper(`delete from callsheet.manifest_salts s using callsheet.manifest m
    where m.account = s.account and m.seq = s.seq and m.kind = 'file' and m.subject = ${named(SUBJECT)}`)

export const enter = (stage: EvidenceStage, kind: 'file' | 'removal'): Promise<void> =>
  stage.vouch([{ kind, ...OTHER }])

/** An erasure of the record that has the name of the file, which leaves the file as it is. */
export const eraseRecord = (stage: EvidenceStage): Promise<void> =>
  stage.vouch([{ ...OTHER, kind: 'erasure', size: 0, content: Buffer.alloc(32) }])

async function runFinds(stage: EvidenceStage): Promise<void> {
  const { files, removals, problems } = await stage.append()
  if (files + removals > 0) throw new Error('an entry of what was put there is signed')
  if (!problems.some((problem) => problem.includes(SUBJECT)))
    throw new Error('the run says nothing of it')
}

/** What is done to a file in ledger and store alike, with runs between, and all that comes of it. */
export const EXCHANGED: typeof TAMPERED = [
  [
    'a file exchanged alike, and a run since',
    async (stage) => {
      await exchange(stage)
      await runFinds(stage)
      await runFinds(stage)
    },
    [['ledger_changed', /^whiteboard_activities\/s-1\/a-1, entry \d+$/]],
  ],
  [
    'a file exchanged alike, behind an erasure of its record, and a run since',
    async (stage) => {
      await exchange(stage)
      await eraseRecord(stage)
      await runFinds(stage)
    },
    [['ledger_changed', /^whiteboard_activities\/s-1\/a-1, entry \d+$/]],
  ],
  [
    'a file exchanged alike, salt removed, and a run since',
    async (stage) => {
      await exchange(stage)
      await loseSalt(stage)
      await runFinds(stage)
    },
    [['salt_missing', /^whiteboard_activities\/s-1\/a-1, entry \d+$/]],
  ],
  [
    'a file exchanged alike, entered and signed since',
    async (stage) => {
      await exchange(stage)
      await enter(stage, 'file')
      await stage.append()
    },
    [['file_replaced', `${SUBJECT}, entry ${LAST + 1}`]],
  ],
  [
    'a file exchanged alike, salt removed, entered and signed since',
    async (stage) => {
      await exchange(stage)
      await loseSalt(stage)
      await enter(stage, 'file')
      await stage.append()
    },
    [
      ['file_replaced', `${SUBJECT}, entry ${LAST + 1}`],
      ['salt_missing', /^whiteboard_activities\/s-1\/a-1, entry \d+$/],
    ],
  ],
  [
    'a file removed and stored again as another, all entered',
    async (stage) => {
      const state = (to: string) =>
        stage.tamper(`update callsheet.files set state = '${to}', entered = false
          where parent = 's-1' and item = 'a-1'`)
      await stage.removeFile({ session: 's-1', id: 'a-1' })
      await stage.append()
      await exchange(stage)
      await state('stored')
      await enter(stage, 'file')
      await stage.append()
    },
    [['file_replaced', `${SUBJECT}, entry ${LAST + 2}`]],
  ],
  [
    'a file exchanged alike and removed, and a run since',
    async (stage) => {
      await exchange(stage)
      await stage.tamper(`update callsheet.files set state = 'removed', bytes_gone_at = now(),
        state_at = now() - interval '1 day', entered = false where parent = 's-1' and item = 'a-1'`)
      await rm(join(stage.directory, 'files', sha256Hex('other')))
      await runFinds(stage)
    },
    [
      ['ledger_changed', /^whiteboard_activities\/s-1\/a-1, entry \d+$/],
      ['removal_without_entry', SUBJECT],
    ],
  ],
  [
    'a file exchanged alike and removed, its removal entered and signed since',
    async (stage) => {
      await exchange(stage)
      await stage.tamper(`update callsheet.files set state = 'removed', bytes_gone_at = now()
        where parent = 's-1' and item = 'a-1'`)
      await rm(join(stage.directory, 'files', sha256Hex('other')))
      await enter(stage, 'removal')
      await stage.append()
    },
    [['file_replaced', `${SUBJECT}, entry ${LAST + 1}`]],
  ],
  [
    'a removed file said to be stored again',
    async (stage) => {
      const state = (to: string) =>
        stage.tamper(`update callsheet.files set state = '${to}', state_at = now() + interval '1 day',
          entered = false where parent = 's-1' and item = 'a-1'`)
      await stage.removeFile({ session: 's-1', id: 'a-1' })
      await stage.append()
      await state('stored')
      await runFinds(stage)
    },
    [['ledger_changed', `${SUBJECT}, entry ${LAST + 1}`]],
  ],
  ['nothing where the record of a stored file was erased', eraseAndRun, []],
]

async function eraseAndRun(stage: EvidenceStage): Promise<void> {
  await eraseRecord(stage)
  await stage.tamper('update callsheet.files set entered = false')
  const { files, problems } = await stage.append()
  if (files > 0 || problems.length > 0) throw new Error('a run takes the file for another')
}
