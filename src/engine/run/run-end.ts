import { CallsheetError, FencedError, isDaySpent } from '../../core/errors/errors.ts'
import type { RunState } from '../../warehouse/connection/types.ts'

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
