import { counted } from '../core/values/quantities.ts'
import { type DatabaseDeps, inTransaction } from '../warehouse/ledger/retry-database.ts'
import { stampCheckpoint } from './ask-stamp.ts'
import { checkStanding, keepNotes } from './checkpoint-notes.ts'
import { enterFiles } from './enter-files.ts'
import { enterLedgers } from './enter-ledgers.ts'
import { enterRecords } from './enter-records.ts'
import { stateOfNote } from './log/checkpoint.ts'
import type { AppendedEvidence } from './log/evidence-access.ts'
import { signLog } from './sign-log.ts'
import type { Appending, AppendOptions } from './sql/appending.ts'
import type { ManifestRow } from './sql/manifest.ts'
import { WHAT_TO_DO } from './unexplained.ts'
import { askWitnesses } from './witness/ask-witnesses.ts'

/**
 * Adds the missing entries of audited records, stored files and ledger rows, signs a checkpoint over the log
 * up to the first unexplained entry, and stores it. The next call completes an interrupted call. The caller
 * must have the account's lease, and must write no audited record until the call ends.
 */
export async function appendEvidence(
  deps: DatabaseDeps,
  options: AppendOptions,
): Promise<AppendedEvidence> {
  const appending: Appending = {
    ...deps,
    ...options,
    batchEntries: options.batchEntries ?? BATCH_ENTRIES,
    inTransaction: (work, kind) => inTransaction({ ...deps, lease: options.lease }, work, kind),
  }
  const problems = await checkStanding(appending)
  await appending.noteErasures?.(deps.warehouse.db, options)
  const mark = await enterRecords(appending)
  const files = await enterFiles(appending)
  await enterLedgers(appending)
  problems.push(...files.problems)
  const { signed, newest, entries, unexplained, problem } = await signLog(appending, mark)
  problems.push(...unsignedOf(unexplained), ...(problem === undefined ? [] : [problem]))
  let unwitnessed: string | undefined
  if (signed !== undefined) problems.push(...(await keepNotes(appending, [signed])))
  if (newest !== undefined) {
    problems.push(...(await stampCheckpoint(appending, newest)))
    const asked = await askWitnesses(appending, newest)
    problems.push(...asked.problems)
    unwitnessed = asked.tooFew
  }
  return {
    records: entries.record ?? 0,
    files: entries.file ?? 0,
    removals: entries.removal ?? 0,
    statements: entries.statement ?? 0,
    signed: signed === undefined ? 0 : 1,
    unexplained: files.unexplained + unexplained.length,
    unwitnessed,
    problems,
    checkpoint: newest && stateOfNote(newest.note),
  }
}

function unsignedOf(unexplained: readonly ManifestRow[]): string[] {
  const [first] = unexplained
  if (first === undefined) return []
  const { seq, kind, subject } = first
  return [
    `no checkpoint covers ${counted(unexplained.length, 'entry', 'entries')} without a valid signature of ` +
      `the evidence key, nor any later entry (first: entry ${seq}, ${kind} of ${subject}): ${WHAT_TO_DO}`,
  ]
}

export type { AppendedEvidence, AppendOptions }

const BATCH_ENTRIES = 2_000
