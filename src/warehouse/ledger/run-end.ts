import { CallsheetError, FencedError, isDaySpent } from '../../core/errors.ts'
import type { RunState } from '../schema/types.ts'
import type { Lease } from './lease.ts'
import { type DatabaseDeps, retryDatabase } from './retry-database.ts'
import { closeRun, type OnClosed } from './runs.ts'

/**
 * Returns the state of a run after an error. A run out of daily quota is paused, because the next day's run
 * resumes it; a run that was asked to stop is interrupted, not failed.
 */
export function endState(error: unknown, asked: AbortSignal): Exclude<RunState, 'running'> {
  if (asked.aborted && !(error instanceof FencedError)) return 'interrupted'
  return isDaySpent(error) ? 'paused' : 'failed'
}

export function errorText(error: unknown): string {
  if (error instanceof CallsheetError) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

/** Closes the run's record with its result, and returns that result. */
export async function closeBy<Result extends ClosedBy>(
  deps: DatabaseDeps,
  { lease, result, onClosed }: { lease: Lease; result: Result; onClosed?: OnClosed | undefined },
  record: { planned: object; summary: object },
): Promise<Result> {
  const { runId: id, state, error } = result
  const end = { ...record, state, error: error === undefined ? undefined : errorText(error) }
  try {
    await retryDatabase(deps, () => closeRun(deps.warehouse, { id, lease, onClosed }, end))
    return result
  } catch (failure) {
    // The new lease holder closes this record as interrupted. Our result may not be recorded, so it counts as
    // failed.
    if (!(failure instanceof FencedError)) throw failure
    return { ...result, state: 'failed', error: failure }
  }
}

/** The parts of a result that the run's record stores. */
interface ClosedBy {
  readonly runId: number
  readonly state: Exclude<RunState, 'running'>
  readonly error: unknown
}
