import { instantMs } from '../../core/time/instant.ts'
import { DAY_MS } from '../../core/time/time.ts'

export interface Answer {
  status: number
  headers: AnswerHeaders
  /** Decoded; at most `maxBodyBytes`. */
  body: Buffer
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The first value of a header; its name in lower case. */
export function header(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** What names a request to the service's support, without characters that could forge a line of a log. */
export function trackingId(headers: AnswerHeaders): string | undefined {
  return header(headers, 'x-svc-trackingid')
    ?.replace(/[^\w.:=+/-]/g, '')
    .slice(0, 128)
}

/** The same as the end of a sentence. */
export function trackingNote(headers: AnswerHeaders): string {
  const id = trackingId(headers)
  return id === undefined ? '' : ` (x-svc-trackingid ${id})`
}

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
