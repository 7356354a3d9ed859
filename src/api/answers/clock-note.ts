import { ServiceError } from '../../core/errors.ts'
import { duration } from '../../core/values/quantities.ts'

/**
 * Returns a note on how far this machine's clock differs from the service's, by an error's `Date` header.
 * Undefined below 30 s or without a date. A service may refuse a token that was signed with a wrong clock.
 */
export function clockNote(error: unknown, nowMs: number): string | undefined {
  if (!(error instanceof ServiceError) || error.serverDateMs === undefined) return undefined
  const aheadMs = nowMs - error.serverDateMs
  if (Math.abs(aheadMs) < AGREES_MS) return undefined
  return `the clock of this machine is ${duration(Math.abs(aheadMs))} ${
    aheadMs > 0 ? 'ahead of' : 'behind'
  } the service's`
}

/** Smaller differences are not reported: services tolerate them, and `Date` has whole seconds. */
const AGREES_MS = 30_000
