import { DAY_MS } from './time.ts'

/**
 * Reads a time in ISO 8601, with or without separators, offset and fraction, or in the format of HTTP headers
 * (RFC 1123). `24:00:00` means the next midnight, and a leap second the second after it, as in Postgres. A
 * time without a zone is in UTC. Returns ISO text in UTC, with the fraction cut to microseconds and without
 * trailing zeros; undefined for any other text.
 */
export function parseInstant(value: string): string | undefined {
  return isPlainInstant(value) ? value : parseOtherInstant(value)
}

/** Like `parseInstant`, but also accepts an epoch time: 9 to 11 digits are seconds, 12 or 13 milliseconds. */
export function readInstant(value: string): string | undefined {
  return parseInstant(value) ?? epochInstant(value.trim())
}

/** `readInstant` in epoch milliseconds. */
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
  if (weekday !== undefined && WEEKDAY_NAMES[date.getUTCDay()] !== weekday) return undefined
  const midnight = hour === 24 && minute + second + Number(fraction) === 0
  if ((hour > 23 && !midnight) || minute > 59 || second > 60) return undefined
  const offset = offsetMinutes(zone)
  if (offset === undefined) return undefined
  const utcMs = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000
  // Leap seconds are inserted only at the end of a day in UTC.
  if (second === 60 && utcMs % DAY_MS !== 0) return undefined
  const utc = new Date(utcMs).toISOString()
  // An offset can move the last hours of year 9999 or the first of year 1 out of the four-digit years.
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

/** True for most times of the form `yyyy-mm-ddThh:mm:ssZ`. The check is ten times as fast as parsing. */
function isPlainInstant(value: string): boolean {
  if (value.length !== 20 || value[4] !== '-' || value[7] !== '-' || value[10] !== 'T') return false
  if (value[13] !== ':' || value[16] !== ':' || value[19] !== 'Z') return false
  const century = twoDigits(value, 0)
  const month = twoDigits(value, 5)
  const day = twoDigits(value, 8)
  // The last days of a month, and anything that is not a number, are left to the full parser.
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

/** A two-digit number; NaN, for which every comparison is false, if either character is not a digit. */
function twoDigits(value: string, at: number): number {
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

/** The parts of a local time, not yet checked: it may be a 31 February. */
interface TimeParts {
  year: number
  /** 1 to 12. */
  month: number
  day: number
  hour: number
  minute: number
  second: number
  /** The digits of the second's fraction. */
  fraction: string
  /** The zone as spelled; empty if there is none. */
  zone: string
  /** Three lower-case letters; undefined if the text names no weekday. */
  weekday?: string | undefined
}

function timeParts(text: string): TimeParts | undefined {
  const plain = text.trim().replaceAll('\u2212', '-')
  const { groups } = ISO.exec(plain) ?? HTTP_DATE.exec(plain) ?? {}
  if (groups === undefined) return undefined
  const {
    year,
    month = '',
    day,
    hour = 0,
    minute = 0,
    second = 0,
    fraction = '',
    zone = '',
  } = groups
  return {
    year: Number(year),
    month: Number(month) || MONTHS.indexOf(month.toLowerCase()) + 1,
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    fraction,
    zone,
    weekday: groups.weekday?.toLowerCase(),
  }
}

/** The maximum length of a text that is parsed, longer than any spelling of a time. */
const LONGEST = 200
const WEEKDAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
/** Epoch times from 1973 on: the service has no earlier times, and other numbers of digits are ambiguous. */
const EPOCH = /^(\d{9,13})(\.\d{1,9})?$/
/** Smaller numbers are seconds: this one would be the year 5138 in seconds, and 1973 in milliseconds. */
const MILLISECONDS_FROM = 1e11

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ZONE = '(?: ?(?<zone>Z|z|UTC|GMT|UT|[+-]\\d{2}(?::?\\d{2})?))?'
const ISO = new RegExp(
  '^(?<year>\\d{4})(?<dash>[-/]?)(?<month>\\d\\d)\\k<dash>(?<day>\\d\\d)(?:(?:[Tt]| +)(?<hour>\\d\\d)' +
    '(?:(?<colon>:?)(?<minute>\\d\\d)(?:\\k<colon>(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,18}))?)?)?)?' +
    `${ZONE}$`,
)
const HTTP_DATE = new RegExp(
  `^(?:(?<weekday>${WEEKDAY_NAMES.join('|')}),? +)?(?<day>\\d{1,2}) (?<month>${MONTHS.join('|')}) ` +
    `(?<year>\\d{4}) +(?<hour>\\d\\d):(?<minute>\\d\\d)(?::(?<second>\\d\\d))?${ZONE}$`,
  'i',
)
