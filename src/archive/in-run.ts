import type { FileSource } from '../core/define/file-source.ts'
import { FencedError, isDaySpent } from '../core/errors.ts'
import { archiveFiles } from './archive-files.ts'
import type { ArchiveCounts } from './result.ts'
import type { ArchiveDeps, ArchiveOptions } from './work.ts'

/** An open run, as far as its files are concerned. */
export interface ArchivingRun extends ArchiveDeps, Omit<ArchiveOptions, 'source' | 'retry'> {
  countFiles(counts: ArchiveCounts): void
  problem(text: string, blocking: boolean, of?: 'files'): void
}

/**
 * Before a job reads anything, fetches what might expire before the job comes to its files. Returns whether
 * calls are so scarce that the other jobs must wait until this one has ended.
 */
export const archiveExpiring = (run: ArchivingRun, source: FileSource) =>
  archiveInRun(run, { source, beforeOthers: true })

/**
 * The files of a job, at its end. An exhausted daily quota, a lost lease and a stop end the run as always.
 * Anything else that keeps files from being stored leaves it incomplete; its rows are not affected.
 */
export async function archiveInRun(
  run: ArchivingRun,
  what: { source: FileSource; beforeOthers?: boolean },
): Promise<{ scarce: boolean }> {
  const { account, lease, runId, signal, onProgress } = run
  const options = { account, lease, runId, signal, onProgress, ...what }
  const { counts, problems, notes, error, scarce } = await archiveFiles(run, options)
  run.countFiles(counts)
  for (const problem of problems) run.problem(problem, true, 'files')
  for (const note of notes) run.problem(note, false)
  if (!(error instanceof Error)) return { scarce }
  if (signal.aborted || isDaySpent(error) || error instanceof FencedError) throw error
  run.problem(`files: ${error.message}`, true, 'files')
  return { scarce }
}
