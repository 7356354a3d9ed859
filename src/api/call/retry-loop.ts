import { meansDeleted } from '../../core/define/answer-meaning.ts'
import type { Observer } from '../../core/define/observer.ts'
import type { Operation } from '../../core/define/operation.ts'
import { CallsheetError, isDaySpent, RateLimitedError, StoreError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { decideRetry, type RetryRules, UNREADABLE } from '../answers/retry.ts'

export interface Persisting {
  clock: Clock
  random: () => number
  observer: Observer
  rules: RetryRules
}

/** Sends a call until it succeeds or its error is final. It waits outside the governor's slots. */
export async function persist<T>(
  { clock, random, observer, rules }: Persisting,
  { operation, signal }: { operation: Operation; signal: AbortSignal | undefined },
  attempt: () => Promise<T>,
): Promise<T> {
  let tries = 0
  let rateRefusals = 0
  let unreadable = 0
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      // Not the service's fault: the owner of the file reports it.
      if (error instanceof StoreError) throw error
      if (error instanceof RateLimitedError) rateRefusals++
      else tries++
      unreadable = (error as { code?: unknown }).code === UNREADABLE ? unreadable + 1 : 0
      const state = { tries, rateRefusals, nowMs: clock.now(), random, unreadable }
      const decision = decideRetry(error, state, rules)
      // An answer that the operation declares is a result, not a failure.
      const answered = meansDeleted(operation, error)
      observer.event(answered ? 'api.gone' : 'api.failed', {
        operation: operation.id,
        code: error instanceof CallsheetError ? error.code : (error as Error).name,
        reason: error instanceof CallsheetError ? error.facts.came : undefined,
        tries,
        // A call may still be sent in another way, so the run reports what was lost. An exhausted daily quota
        // reaches every waiting call, and the run reports it once.
        level: answered ? undefined : isDaySpent(error) ? 'debug' : 'warn',
        again: decision.again,
        wait_ms: decision.again ? Math.round(decision.waitMs) : undefined,
      })
      if (!decision.again) throw error
      if (decision.waitMs > 0) await clock.sleep(decision.waitMs, signal)
    }
  }
}
