import { CallsheetError } from './errors.ts'

/**
 * Stops work when the service no longer responds. Otherwise each slice or file would exhaust its retries and
 * fail like the previous one. One success closes the breaker again.
 */
export interface CircuitBreaker {
  /** Counted failures since the last success; at least `FAILURES_IN_A_ROW` after a wrong certificate. */
  failures(): number
  /** The error of the last failure; undefined while the work may continue. */
  tripped(): unknown
  /** Records how a slice or file ended (undefined: success); true if this failure trips the breaker. */
  note(error: unknown): boolean
}

/**
 * `counts`: which errors are failures; by default those with the retry verdict `backoff`, and wrong
 * certificates. `wider`: a breaker of other work too. It notes each end. If it trips, this work stops.
 */
export function createCircuitBreaker(counts = isOutage, wider?: CircuitBreaker): CircuitBreaker {
  let failures = 0
  let last: unknown
  return {
    failures: () => failures,
    tripped: () => (failures >= FAILURES_IN_A_ROW ? last : wider?.tripped()),
    note(error) {
      wider?.note(error)
      const before = failures
      if (error === undefined) failures = 0
      else if (counts(error)) {
        last = error
        // A retry does not fix a wrong certificate, and nothing may be sent until a person has fixed it.
        failures = isWrongCertificate(error) ? FAILURES_IN_A_ROW : failures + 1
      }
      return before < FAILURES_IN_A_ROW && failures >= FAILURES_IN_A_ROW
    },
  }
}

export function isOutage(error: unknown): boolean {
  const isRetried = error instanceof CallsheetError && error.retry.kind === 'backoff'
  return isRetried || isWrongCertificate(error)
}

function isWrongCertificate(error: unknown): boolean {
  return error instanceof CallsheetError && error.code === 'tls'
}

export const FAILURES_IN_A_ROW = 8
