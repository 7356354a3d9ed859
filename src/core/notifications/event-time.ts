import { readInstant } from '../time/instant.ts'
import { DAY_MS } from '../time/time.ts'
import { rawNumber } from '../values/json.ts'

export interface EventTime {
  /** The first 100 characters of the time as received; null if there is none. */
  received: string | null
  /** ISO text in UTC; null if there is none, or it is not a time. */
  at: string | null
  /** More than a day ahead of our clock: such a time is stored, but its event changes no state. */
  ahead: boolean
}

/**
 * Returns when an event happened, by the first `event_ts` in the envelope, the payload or the payload's
 * object: seconds or milliseconds as a number or digits, or a date-time.
 */
export function eventTime(body: unknown, nowMs: number): EventTime {
  const payload = fieldOf(body, 'payload')
  const places = [body, payload, fieldOf(payload, 'object')]
  const received = places
    .map((place) => textOf(fieldOf(place, 'event_ts')))
    .find((text) => text !== '')
  if (received === undefined) return { received: null, at: null, ahead: false }
  const at = readInstant(received) ?? null
  const ahead = at !== null && Date.parse(at) > nowMs + DAY_MS
  return { received: received.slice(0, LONGEST), at, ahead }
}

/** An own field of a value that may be an object; never an inherited one. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

/** A text, or the digits of a number as received; empty for any other value. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : (rawNumber(value) ?? '')
}

const LONGEST = 100
