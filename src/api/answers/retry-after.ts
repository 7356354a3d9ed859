import { DAY_MS, instantMs } from '../../core/time/time.ts'
import { type AnswerHeaders, header } from './headers.ts'

/**
 * How long the service asks to wait, in milliseconds, at most a day. Understands seconds, an HTTP date and
 * an ISO date-time; dates count from the answer's own `Date`, so that a wrong clock here does no harm.
 * Undefined when the header is absent, unreadable, negative or past: then the caller's own backoff holds.
 */
export function retryAfterMs(headers: AnswerHeaders, nowMs: number): number | undefined {
  const value = header(headers, 'retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  const waitMs = /^\d+(\.\d+)?$/.test(value)
    ? Number(value) * 1000
    : (instantMs(value) ?? Number.NaN) - (serverDateMs(headers) ?? nowMs)
  return waitMs > 0 ? Math.min(waitMs, DAY_MS) : undefined
}

export function serverDateMs(headers: AnswerHeaders): number | undefined {
  const value = header(headers, 'date')
  return value === undefined ? undefined : instantMs(value)
}
