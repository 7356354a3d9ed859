import { CallsheetError } from './errors.ts'

/**
 * Stops a run whose service no longer answers: each slice would wait through all its retries only to fail
 * like the one before it. A slice that was read closes it again.
 */
export interface CircuitBreaker {
  /** The error of the slice that tripped it; undefined while the run may go on. */
  tripped(): CallsheetError | undefined
  /** Notes how a slice ended; true if this failure trips the breaker. */
  note(error: unknown): boolean
}

export function createCircuitBreaker(limit = FAILURES_IN_A_ROW): CircuitBreaker {
  let failures = 0
  let last: CallsheetError | undefined
  return {
    tripped: () => (failures >= limit ? last : undefined),
    note(error) {
      if (error === undefined) failures = 0
      else if (error instanceof CallsheetError && error.code === 'tls') {
        // A wrong certificate is no better for the next slice, and nothing may be sent meanwhile.
        const first = failures < limit
        last = error
        failures = limit
        return first
      } else if (error instanceof CallsheetError && error.retry.kind === 'backoff') {
        last = error
        failures++
        return failures === limit
      }
      return false
    },
  }
}

export const FAILURES_IN_A_ROW = 8
