import { CallsheetError, FencedError, isDaySpent } from '../../core/errors.ts'
import type { RunState } from '../schema/types.ts'
import type { Lease } from './lease.ts'
import { type DatabaseDeps, retryDatabase } from './retry-database.ts'
import { closeRun, type OnClosed } from './runs.ts'

/** How a run ended that an error ended: a spent day goes on tomorrow, and a wish to stop is no failure. */
export function endState(error: unknown, asked: AbortSignal): Exclude<RunState, 'running'> {
  if (asked.aborted && !(error instanceof FencedError)) return 'interrupted'
  return isDaySpent(error) ? 'paused' : 'failed'
}

/** An error as the run's record tells it. */
export function errorText(error: unknown): string {
  if (error instanceof CallsheetError) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

/** Closes the run's record by its result, and answers that. */
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
    // Whoever took the account over closes this record as interrupted, and a result that nobody may enter
    // is none.
    if (!(failure instanceof FencedError)) throw failure
    return { ...result, state: 'failed', error: failure }
  }
}

/** What a run's record is told of its result. */
interface ClosedBy {
  readonly runId: number
  readonly state: Exclude<RunState, 'running'>
  readonly error: unknown
}
