import { timeParts } from './time-parts.ts'

/**
 * Reads a time in any legal spelling: ISO 8601 with or without separators, as a week or an ordinal date, with
 * offsets and fractions; the forms of HTTP; `24:00:00`, which is the next midnight; and a leap second, which
 * is the second after it, as for Postgres. Without a zone it is UTC. Returns ISO text in UTC with the
 * fraction as received (microseconds at most, as Postgres keeps them), or undefined for anything else.
 */
export function parseInstant(value: string): string | undefined {
  return isPlainInstant(value) ? value : parseOtherInstant(value)
}

/** The same, or an epoch time: 9 to 11 digits are seconds, up to 13 milliseconds. */
export function readInstant(value: string): string | undefined {
  return parseInstant(value) ?? epochInstant(value.trim())
}

/** The same in epoch milliseconds. */
export function instantMs(value: string): number | undefined {
  const instant = readInstant(value)
  return instant === undefined ? undefined : Date.parse(instant)
}

function parseOtherInstant(value: string): string | undefined {
  if (value.length > LONGEST) return undefined
  const parts = timeParts(value)
  if (parts === undefined) return undefined
  const { year, month, day, hour, minute, second, fraction, zone, weekday } = parts
  const date = new Date(Date.UTC(year, month - 1, day))
  if (year < 100 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  if (weekday !== undefined && WEEKDAYS[date.getUTCDay()] !== weekday) return undefined
  const midnight = hour === 24 && minute + second + Number(fraction) === 0
  if ((hour > 23 && !midnight) || minute > 59 || second > 60) return undefined
  const offset = offsetMinutes(zone)
  if (offset === undefined) return undefined
  const utcMs = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000
  // Seconds are only ever put in at the end of a day in UTC.
  if (second === 60 && utcMs % DAY_MS !== 0) return undefined
  const utc = new Date(utcMs).toISOString()
  // An offset can push the last hours of year 9999, or the first of year 1, over the edge.
  if (utc.length !== 24) return undefined
  const digits = fraction.slice(0, 6).replace(/0+$/, '')
  return digits === '' ? `${utc.slice(0, 19)}Z` : `${utc.slice(0, 19)}.${digits}Z`
}

export function epochInstant(text: string): string | undefined {
  const [, whole = '', fraction = ''] = EPOCH.exec(text) ?? []
  if (whole === '') return undefined
  const number = Number(whole)
  if (number < MILLISECONDS_FROM) {
    const second = new Date(number * 1000).toISOString().slice(0, 19)
    return parseInstant(`${second}${fraction}Z`)
  }
  return fraction === '' ? parseInstant(new Date(number).toISOString()) : undefined
}

/** `yyyy-mm-dd`, if it is a real day. */
export function parseDate(value: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(value) ? parseInstant(value)?.slice(0, 10) : undefined
}

/** `hh:mm:ss`, `mm:ss` or `PT1H2M3S` in whole seconds, as digits; hours may pass 24. */
export function parseDuration(value: string): string | undefined {
  const match = CLOCK_DURATION.exec(value) ?? ISO_DURATION.exec(value)
  if (match === null) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0))
  return String(hours * 3600 + minutes * 60 + seconds)
}

const CLOCK_DURATION = /^(?:(\d{1,5}):)?([0-5]?\d):([0-5]\d)(?:[.,]\d{1,9})?$/
const ISO_DURATION = /^PT(?=\d)(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,5})(?:[.,]\d{1,9})?S)?$/

export const DAY_MS = 86_400_000

/** `yyyy-mm-dd` of an epoch time, in UTC. */
export function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10)
}

/** `yyyy-mm-dd hh:mm` of ISO text, in whichever zone that is: as people read it. */
export function toMinutes(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ')
}

/** The same of an epoch time, in UTC. */
export function utcMinutes(epochMs: number): string {
  return toMinutes(new Date(epochMs).toISOString())
}

/** ISO text without a fraction, as the service's own date-times. */
export function utcInstant(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`
}

/**
 * A real time spelled `yyyy-mm-ddThh:mm:ssZ`, as nearly all are: read by its characters, at a tenth of the
 * cost.
 */
function isPlainInstant(value: string): boolean {
  if (value.length !== 20 || value[4] !== '-' || value[7] !== '-' || value[10] !== 'T') return false
  if (value[13] !== ':' || value[16] !== ':' || value[19] !== 'Z') return false
  const century = twoDigits(value, 0)
  const month = twoDigits(value, 5)
  const day = twoDigits(value, 8)
  // The last days of a month, and what is no number, are left to the calendar.
  return (
    century >= 1 &&
    twoDigits(value, 2) >= 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= (month === 2 ? 28 : 30) &&
    twoDigits(value, 11) <= 23 &&
    twoDigits(value, 14) <= 59 &&
    twoDigits(value, 17) <= 59
  )
}

/** NaN, which is neither above nor below anything, when one of the two is no digit. */
export function twoDigits(value: string, at: number): number {
  const tens = value.charCodeAt(at) - 48
  const ones = value.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === '' || /^[A-Za-z]/.test(zone)) return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** No spelling of a time has so many characters. */
const LONGEST = 200
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
/** From 1973 to 2286: the service knows nothing of a time with fewer digits, and more are no sure time. */
const EPOCH = /^(\d{9,13})(\.\d{1,9})?$/
/** In seconds the year 5138, in milliseconds 1973. */
const MILLISECONDS_FROM = 1e11
