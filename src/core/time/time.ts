/**
 * The ways to write a time that the service has, or may have: `Z`, offsets, fractions of up to nine digits, a
 * blank for the `T`, or a date alone. Without a zone it is UTC. Answers ISO text in UTC with the
 * fraction as received (microseconds at most, as Postgres keeps them), or undefined for anything else.
 */
export function parseInstant(value: string): string | undefined {
  return isPlainInstant(value) ? value : parseOtherInstant(value)
}

function parseOtherInstant(value: string): string | undefined {
  const match = INSTANT.exec(value)
  if (match === null) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    match
  const numbers = [year, month, day, hour, minute, second].map(Number)
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = numbers
  if (y < 1 || h > 23 || mi > 59 || s > 59) return undefined
  const localMs = Date.UTC(y, mo - 1, d, h, mi, s)
  const local = new Date(localMs)
  if (y < 100 || local.getUTCMonth() !== mo - 1 || local.getUTCDate() !== d) return undefined
  const offset = offsetMinutes(zone)
  if (offset === undefined) return undefined
  const utc = new Date(localMs - offset * 60_000).toISOString()
  // An offset can push the last hours of year 9999, or the first of year 1, over the edge.
  if (utc.length !== 24) return undefined
  const digits = fraction.slice(0, 6).replace(/0+$/, '')
  return digits === '' ? `${utc.slice(0, 19)}Z` : `${utc.slice(0, 19)}.${digits}Z`
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

const CLOCK_DURATION = /^(?:(\d{1,5}):)?([0-5]?\d):([0-5]\d)(?:\.\d{1,9})?$/
const ISO_DURATION = /^PT(?=\d)(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,5})(?:\.\d{1,9})?S)?$/

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
  if (/^[A-Za-z]/.test(zone)) return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

const DAY = '(\\d{4})-(\\d{2})-(\\d{2})'
const TIME = '[Tt ](\\d{2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9}))?)?'
const ZONE = ' ?(Z|z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?)'
const INSTANT = new RegExp(`^${DAY}(?:${TIME})?(?:${ZONE})?$`)
