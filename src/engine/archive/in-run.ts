import type { FileSource } from '../../core/declare/file-source.ts'
import { FencedError, isDaySpent } from '../../core/errors/errors.ts'
import { addCounts } from '../run/archive-counts.ts'
import type { RunContext } from '../run/run-context.ts'
import type { RunResult } from '../run/run-types.ts'
import { archiveFiles } from './archive-files.ts'

/**
 * Before a job reads anything: what might be gone by the time that it came to its files. Answers whether
 * calls are so scarce that the other jobs have to wait until this one has ended.
 */
export const archiveExpiring = (run: RunContext, source: FileSource, result: RunResult) =>
  archiveInRun(run, result, { source, beforeOthers: true })

/**
 * The files of a job, at its end. A day that is spent, a lost lease and a stop end the run as they end any;
 * whatever else keeps files from being stored leaves it incomplete, as its rows are none the worse for it.
 */
export async function archiveInRun(
  run: RunContext,
  result: RunResult,
  what: { source: FileSource; beforeOthers?: boolean },
): Promise<{ scarce: boolean }> {
  const { account, lease, runId, signal, onProgress } = run
  const options = { account, lease, runId, signal, onProgress, ...what }
  const { counts, problems, notes, error, scarce } = await archiveFiles(run, options)
  result.files = addCounts(result.files, counts)
  for (const problem of problems) run.problem(problem, true, 'files')
  for (const note of notes) run.problem(note, false)
  if (!(error instanceof Error)) return { scarce }
  if (signal.aborted || isDaySpent(error) || error instanceof FencedError) throw error
  run.problem(`files: ${error.message}`, true, 'files')
  return { scarce }
}
