import type { FileSource } from '../core/define/file-source.ts'
import { FencedError, isDaySpent } from '../core/errors.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { dueDownloads } from './due-downloads.ts'
import { fetchFiles } from './fetch-files.ts'
import { isHalt } from './file-breaker.ts'
import { findLostFiles } from './find-lost-files.ts'
import {
  type ArchiveCounts,
  type ArchiveResult,
  noArchive,
  noteDeleted,
  notesOn,
  remarksOn,
} from './result.ts'
import { analyzeFiles } from './sql/file-rows-sql.ts'
import { admitFiles, expireFiles, refreshExpiry } from './sql/files.ts'
import { reviveFiles, writeOffDeleted } from './sql/given-up-files.ts'
import { countFiles } from './sql/pending-files.ts'
import {
  type ArchiveDeps,
  type ArchiveOptions,
  type ArchiveWork,
  mostDays,
  wantsFiles,
} from './work.ts'

/**
 * Fetches an account's pending files of one source and records their outcomes. A file is recorded as stored
 * only after the store has flushed it. If an error ends the work early, the result contains the error (or a
 * problem for a halt) and the counts until then. Files that were not tried stay pending until they expire.
 */
export async function archiveFiles(
  deps: ArchiveDeps,
  options: ArchiveOptions,
): Promise<ArchiveResult> {
  const { archive } = deps
  const result = noArchive()
  if (archive === undefined || !wantsFiles(archive, options.source)) return result
  const { account, source, runId } = options
  const scope = { account, kind: source.kind, runId }
  const work: ArchiveWork = { ...deps, ...options, archive, result, scope }
  try {
    await admit(work)
    // Before the job reads its lists, no file is given up: the lists may show a later expiry.
    const first = options.beforeOthers === true
    if (!first) {
      await giveUp(work, { deleted: options.retry !== true })
      await findLostFiles(work)
    }
    const due = await dueDownloads(work)
    if (due.length > 0) await fetchFiles(work, due)
    // Gives up files that expired meanwhile. After a retry, this includes files that a sync found deleted.
    if (!first) await giveUp(work, { deleted: true })
  } catch (error) {
    if (!options.signal.aborted && isHalt(error)) result.problems.push(`files: ${error.message}`)
    else result.error = options.signal.aborted ? options.signal.reason : error
  }
  try {
    const counts = await retryDatabase(deps, () => countFiles(deps.warehouse.db, work))
    result.counts.pending = counts.pending
    result.withheld = counts.withheld
  } catch (error) {
    result.error ??= error
  }
  result.problems.push(...remarksOn(result))
  result.notes.push(...notesOn(result))
  return result
}

/** Adds new files, updates the expiry of known ones, and revives given-up files. */
async function admit(work: ArchiveWork): Promise<void> {
  const limits = { days: mostDays(work.archive, work.source), most: ADMIT_AT_ONCE }
  let admitted = 0
  let last = ADMIT_AT_ONCE
  for (; last === ADMIT_AT_ONCE; admitted += last) {
    work.signal.throwIfAborted()
    last = await inTransaction(work, (tx) => admitFiles(tx, work, limits))
  }
  if (admitted > MANY_FILES) await inTransaction(work, analyzeFiles)
  const revived = await inTransaction(work, async (tx) => {
    await refreshExpiry(tx, work)
    return await reviveFiles(tx, work, { all: work.retry === true })
  })
  if (revived > 0) work.observer.event('archive.revived', { count: revived })
}

/** Gives up expired files. With `deleted`, also files whose parent or row a sync found deleted. */
async function giveUp(work: ArchiveWork, { deleted }: { deleted: boolean }): Promise<void> {
  const { result, scope } = work
  result.counts.expired += await inTransaction(work, (tx) => expireFiles(tx, scope))
  if (deleted) noteDeleted(result, await inTransaction(work, (tx) => writeOffDeleted(tx, work)))
}

const ADMIT_AT_ONCE = 50_000
const MANY_FILES = 1_000

/** The part of an open run that concerns its files. */
export interface ArchivingRun extends ArchiveDeps, Omit<ArchiveOptions, 'source' | 'retry'> {
  countFiles(counts: ArchiveCounts): void
  problem(text: string, blocking: boolean, of?: 'files'): void
}

/**
 * Fetches a job's files. `beforeOthers`, before the job reads its lists: only files that expire within seven
 * days. Throws if the daily quota is exhausted, the lease is lost or the run is stopped. Any other failure
 * leaves the run incomplete and does not affect its rows.
 */
export async function archiveInRun(
  run: ArchivingRun,
  what: { source: FileSource; beforeOthers?: boolean },
): Promise<void> {
  const { account, lease, runId, signal, onProgress } = run
  const options = { account, lease, runId, signal, onProgress, ...what }
  const { counts, problems, notes, error } = await archiveFiles(run, options)
  run.countFiles(counts)
  for (const problem of problems) run.problem(problem, true, 'files')
  for (const note of notes) run.problem(note, false)
  if (!(error instanceof Error)) return
  if (signal.aborted || isDaySpent(error) || error instanceof FencedError) throw error
  run.problem(`files: ${error.message}`, true, 'files')
}
