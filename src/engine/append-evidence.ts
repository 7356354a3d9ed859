import { anchorHead } from './evidence/anchor-head.ts'
import type {
  AppendedEvidence,
  Appending,
  AppendOptions,
  EvidenceDeps,
} from './evidence/appending.ts'
import { enterFiles } from './evidence/enter-files.ts'
import { enterRecords } from './evidence/enter-records.ts'
import { checkStanding, keepNotes } from './evidence/head-notes.ts'
import { signHeads } from './evidence/sign-heads.ts'
import { inTransaction } from './retry-database.ts'

/**
 * Enters all audited versions of records and all stored and removed files that have no entry yet, signs a
 * head over them, and keeps it in the store. What a call that was cut off left undone, the next one does.
 * The caller holds the account's lease and writes no audited record meanwhile.
 */
export async function appendEvidence(
  deps: EvidenceDeps,
  options: AppendOptions,
): Promise<AppendedEvidence> {
  const appending: Appending = {
    ...deps,
    ...options,
    batchEntries: options.batchEntries ?? BATCH_ENTRIES,
    inTransaction: (work) => inTransaction({ ...deps, lease: options.lease }, work),
  }
  const problems = await checkStanding(appending)
  await enterRecords(appending)
  problems.push(...(await enterFiles(appending)))
  const { signed, head, entries } = await signHeads(appending)
  if (head !== undefined) {
    problems.push(...(await keepNotes(appending, signed)))
    problems.push(...(await anchorHead(appending, head)))
  }
  return {
    records: entries.record ?? 0,
    files: entries.file ?? 0,
    removals: entries.removal ?? 0,
    signed: signed.length,
    problems,
    head:
      head === undefined
        ? undefined
        : { number: head.number, hash: head.hash.toString('hex'), last: head.last_seq },
  }
}

export type { AppendOptions, AppendedEvidence }

const BATCH_ENTRIES = 2_000
