import { BusyError, FencedError } from '../core/errors.ts'
import type { Clock } from '../core/time/clock.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { isDatabaseAway } from '../warehouse/database-errors.ts'
import { DATABASE_RESTORED } from '../warehouse/ledger/lineage.ts'
import { ACCOUNT_ELSEWHERE } from '../warehouse/ledger/moved.ts'
import { errorText } from '../warehouse/ledger/run-end.ts'
import { type FailedStart, newestRun, recordFailedStarts } from '../warehouse/ledger/runs.ts'
import { endingOfError } from './ending.ts'
import { failureOf } from './run/failure.ts'

export interface WatchedStart {
  /** Records the error for each job that it kept from running. False if it could not, or need not. */
  failed(error: unknown): Promise<boolean>
}

/**
 * Watches jobs that are about to start. Otherwise a failure before they have runs, such as an unreadable
 * secret, would appear only in the log, and the jobs would be overdue for no visible reason.
 */
export async function watchStart(
  { warehouse, clock }: { warehouse: Warehouse; clock: Clock },
  { account, jobs }: { account: string; jobs: FailedStart['jobs'] },
): Promise<WatchedStart> {
  const after = (await newestRun(warehouse.db, account)) ?? 0
  return {
    async failed(error) {
      if (isNoFailure(error)) return false
      const text = errorText(error)
      const ending = endingOfError(error, clock.now())
      const summary = { problems: [text], ending, failure: failureOf(error) }
      try {
        await recordFailedStarts(warehouse.db, {
          account,
          jobs,
          after,
          summary,
          error: text,
        })
        return true
      } catch {
        // If the ledger itself fails, the caller reports the first error.
        return false
      }
    },
  }
}

/** Whether another process does the work, or health reports the error as a cause of its own. */
function isNoFailure(error: unknown): boolean {
  if (error instanceof BusyError || error instanceof FencedError || isDatabaseAway(error))
    return true
  const { code } = error as { code?: unknown }
  return code === DATABASE_RESTORED || code === ACCOUNT_ELSEWHERE
}
