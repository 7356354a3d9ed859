import { instantMs } from '../../core/time/instant.ts'
import { DAY_MS } from '../../core/time/time.ts'

export interface Answer {
  status: number
  headers: AnswerHeaders
  /** Decoded; at most `maxBodyBytes`. */
  body: Buffer
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The first value of a header; `name` is in lower case. */
export function header(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** The ID of a request for the service's support, without characters that could forge a log line. */
export function trackingId(headers: AnswerHeaders): string | undefined {
  return header(headers, 'x-svc-trackingid')
    ?.replace(/[^\w.:=+/-]/g, '')
    .slice(0, 128)
}

/** The tracking ID in parentheses, to end a sentence with; empty if there is none. */
export function trackingNote(headers: AnswerHeaders): string {
  const id = trackingId(headers)
  return id === undefined ? '' : ` (x-svc-trackingid ${id})`
}

/**
 * The wait that the service requests, in milliseconds, at most a day. Accepts seconds, an HTTP date and an
 * ISO date-time. A date counts from the answer's own `Date`, or from our clock if there is none. Undefined if
 * the header is absent, unreadable, zero or past: then the caller uses its own backoff.
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
