import { DAY_MS } from './time.ts'

/**
 * Reads a time in any legal spelling: ISO 8601 with or without separators, as a week or an ordinal date, with
 * offsets and fractions; the forms of HTTP; `24:00:00`, which is the next midnight; and a leap second, which
 * is the second after it, as for Postgres. Without a zone it is UTC. Returns ISO text in UTC, its
 * fraction cut to microseconds and without trailing zeros, or undefined for anything else.
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

/** True for most real times as `yyyy-mm-ddThh:mm:ssZ`, the usual form: ten times as fast as parsing. */
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

/** The parts of a local time, not yet checked: it may be a 31 February. */
interface TimeParts {
  year: number
  /** Counts from 1. Ordinal and week dates are converted to months and days. */
  month: number
  day: number
  hour: number
  minute: number
  second: number
  /** The digits of the fraction, which belongs to the smallest part given. */
  fraction: string
  /** The zone as spelled; empty if there is none. */
  zone: string
  /** Three lower-case letters; undefined if the text names no weekday. */
  weekday?: string | undefined
}

/** The parts of a time in any spelling of ISO 8601, RFC 3339, RFC 9557 or HTTP; undefined for other text. */
function timeParts(text: string): TimeParts | undefined {
  const plain = text.trim().replaceAll('\u2212', '-').replace(ZONE_NAME, '$1')
  return isoParts(plain) ?? httpParts(plain)
}

function isoParts(text: string): TimeParts | undefined {
  const [, date = '', time = '', fraction = '', zone = ''] =
    ISO.exec(text) ?? RUN_TOGETHER.exec(text) ?? []
  const day = dayParts(date)
  if (day === undefined) return undefined
  const [hour = 0, minute = 0, second = 0] = (time.match(/\d\d/g) ?? []).map(Number)
  const parts = { ...day, hour, minute, second, fraction, zone }
  // Without seconds it is a fraction of a minute or an hour, as in `T12.5`.
  const unit = [3600, 3600, 60][time.replaceAll(':', '').length / 2]
  return unit === undefined || fraction === '' ? parts : withSeconds(parts, unit)
}

function dayParts(date: string): Pick<TimeParts, 'year' | 'month' | 'day'> | undefined {
  const digits = date.replace(/[-/]/g, '')
  const year = Number(digits.slice(0, 4))
  const rest = digits.slice(4)
  if (rest.length === 4 && !/^w/i.test(rest))
    return { year, month: Number(rest.slice(0, 2)), day: Number(rest.slice(2)) }
  const day = rest.length === 3 ? Number(rest) : weekDay(year, rest)
  const january = new Date(Date.UTC(year, 0, day))
  // The last days of a year may be in its successor's first week, but no ordinal date leaves its year.
  const isReal = day !== undefined && (rest.length === 4 || january.getUTCFullYear() === year)
  if (!isReal || (rest.length === 3 && day < 1)) return undefined
  return {
    year: january.getUTCFullYear(),
    month: january.getUTCMonth() + 1,
    day: january.getUTCDate(),
  }
}

/** The day of the year of a weekday: `W481` is Monday of week 48. Week 1 has the year's first Thursday. */
function weekDay(year: number, text: string): number | undefined {
  const [, week = 0, day = 0] = (/^w(\d\d)([1-7])$/i.exec(text) ?? []).map(Number)
  const weekdayOf = (date: number): number => new Date(Date.UTC(year, 0, date)).getUTCDay() || 7
  const last = [weekdayOf(1), new Date(Date.UTC(year, 11, 31)).getUTCDay()].includes(4) ? 53 : 52
  return week < 1 || week > last ? undefined : 4 - weekdayOf(4) + (week - 1) * 7 + day
}

function withSeconds(parts: TimeParts, unit: number): TimeParts {
  const micros = Math.round(Number(`0.${parts.fraction}`) * unit * 1e6)
  const seconds = Math.floor(micros / 1e6)
  return {
    ...parts,
    minute: parts.minute + Math.floor(seconds / 60),
    second: seconds % 60,
    fraction: String(micros % 1e6).padStart(6, '0'),
  }
}

function httpParts(text: string): TimeParts | undefined {
  const [, weekday, day, monthName = '', year = '', time = '', zone = ''] =
    HTTP_DATE.exec(text) ?? reordered(ASCTIME.exec(text))
  if (day === undefined) return undefined
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number)
  // The years of RFC 850 have two digits: from 70 on they mean 19xx, since no time is before 1970.
  const century = year.length === 4 ? 0 : Number(year) < 70 ? 2000 : 1900
  return {
    year: century + Number(year),
    month,
    day: Number(day),
    hour,
    minute,
    second,
    fraction: '',
    zone,
    weekday: weekday?.toLowerCase(),
  }
}

/** The groups of `ASCTIME` in the order of `HTTP_DATE`. */
function reordered(match: readonly string[] | null): (string | undefined)[] {
  const [all, weekday, month, day, time, year] = match ?? []
  return [all, weekday, day, month, year, time]
}

/** The maximum length of a text that is parsed, longer than any spelling of a time. */
const LONGEST = 200
const WEEKDAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
/** Epoch times from 1973 on: the service has no earlier times, and other numbers of digits are ambiguous. */
const EPOCH = /^(\d{9,13})(\.\d{1,9})?$/
/** Smaller numbers are seconds: this one would be the year 5138 in seconds, and 1973 in milliseconds. */
const MILLISECONDS_FROM = 1e11

const DATE =
  '\\d{4}(?:-\\d\\d-\\d\\d|\\/\\d\\d\\/\\d\\d|\\d{4}|-?\\d{3}|-[Ww]\\d\\d-\\d|[Ww]\\d{3})'
const CLOCK = '\\d\\d(?:(?::\\d\\d){0,2}|(?:\\d\\d){1,2})'
const FRACTION = '(?:[.,](\\d{1,18}))?'
const ZONE = ' ?(Z|z|UTC|GMT|UT|[+-]\\d{2}(?::?\\d{2})?)'
const ISO = new RegExp(`^(${DATE})(?:(?:[Tt]| +)(${CLOCK})${FRACTION})?(?:${ZONE})?$`)
/** Date and time without separators. As an epoch time, so many digits would be beyond the year 2286. */
const RUN_TOGETHER = new RegExp(`^(\\d{8})(\\d{6})${FRACTION}(?:${ZONE})?$`)
/** A zone's name after its offset (RFC 9557). */
const ZONE_NAME = /(Z|z|[+-]\d\d(?::?\d\d)?)(?:\[[^[\]]{1,64}\]){1,8}$/
const WEEKDAY = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const WEEKDAYS = `${WEEKDAY}(?:day|sday|nesday|rsday|urday)?`
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH = `(${MONTHS.join('|')})`
const HTTP_CLOCK = '(\\d\\d:\\d\\d(?::\\d\\d)?)'
const HTTP_DATE = new RegExp(
  `^(?:${WEEKDAYS},? +)?(\\d{1,2})[ -]${MONTH}[ -](\\d{4}|\\d{2}) +${HTTP_CLOCK}(?:${ZONE})?$`,
  'i',
)
const ASCTIME = new RegExp(`^${WEEKDAY} +${MONTH} +(\\d{1,2}) +${HTTP_CLOCK} +(\\d{4})$`, 'i')
