import { DAY_MS } from '../../core/time/time.ts'
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
    : parseHttpTime(value) - (serverDateMs(headers) ?? nowMs)
  return waitMs > 0 ? Math.min(waitMs, DAY_MS) : undefined
}

export function serverDateMs(headers: AnswerHeaders): number | undefined {
  const value = header(headers, 'date')
  const ms = value === undefined ? Number.NaN : parseHttpTime(value)
  return Number.isNaN(ms) ? undefined : ms
}

/**
 * The three forms of HTTP dates and ISO date-times; `Date.parse` alone would also take `-5` and `1e9` for
 * years.
 */
function parseHttpTime(value: string): number {
  if (HTTP_DATE.test(value)) return Date.parse(/GMT|UTC$/.test(value) ? value : `${value} GMT`)
  if (!ISO_TIME.test(value)) return Number.NaN
  return Date.parse(/(Z|[+-]\d{2}:?\d{2})$/i.test(value) ? value : `${value.replace(' ', 'T')}Z`)
}

const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,? .*\d{2}:\d{2}:\d{2}/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i
