import { CallsheetError } from './errors.ts'

/**
 * Stops work if the service no longer responds: otherwise each slice or file would exhaust its retries only
 * to fail like the previous one. One success closes it again.
 */
export interface CircuitBreaker {
  /** Failures since the last success. */
  failures(): number
  /** The error that tripped it; undefined while the work may go on. */
  tripped(): unknown
  /** Notes how a piece of work ended; true if this failure trips the breaker. */
  note(error: unknown): boolean
}

/** `counts`: which errors are failures; by default those that are worth another try. */
export function createCircuitBreaker(counts = isOutage): CircuitBreaker {
  let failures = 0
  let last: unknown
  return {
    failures: () => failures,
    tripped: () => (failures >= FAILURES_IN_A_ROW ? last : undefined),
    note(error) {
      const before = failures
      if (error === undefined) failures = 0
      else if (counts(error)) {
        last = error
        // A wrong certificate stays wrong on a retry, and nothing may be sent meanwhile.
        failures = isWrongCertificate(error) ? FAILURES_IN_A_ROW : failures + 1
      }
      return before < FAILURES_IN_A_ROW && failures >= FAILURES_IN_A_ROW
    },
  }
}

function isOutage(error: unknown): boolean {
  const isRetried = error instanceof CallsheetError && error.retry.kind === 'backoff'
  return isRetried || isWrongCertificate(error)
}

function isWrongCertificate(error: unknown): boolean {
  return error instanceof CallsheetError && error.code === 'tls'
}

export const FAILURES_IN_A_ROW = 8
