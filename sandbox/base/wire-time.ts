import { hash } from './random.ts'

/**
 * Writes a time in one of the service's formats. `kind` (any hash) chooses the format, so that a row has
 * equal bytes each time it is read. `trueTime` writes the same instant as ISO text in UTC, with up to six
 * digits of a second. `ms` is a whole second.
 */
export function wireTime(ms: number, kind: number): string {
  const iso = new Date(ms).toISOString()
  switch (kind % STYLES) {
    case 0:
      return `${iso.slice(0, 19)}.${fraction(kind, 3)}Z`
    case 1:
      return `${iso.slice(0, 19)}.${fraction(kind, 7)}Z`
    case 2:
      return `${new Date(ms + 2 * HOUR_MS).toISOString().slice(0, 19)}+02:00`
    case 3:
      return `${new Date(ms - 5.5 * HOUR_MS).toISOString().slice(0, 19)}-0530`
    case 4:
      return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
    default:
      return `${iso.slice(0, 19)}Z`
  }
}

export function trueTime(ms: number, kind: number): string {
  const second = new Date(ms).toISOString().slice(0, 19)
  const style = kind % STYLES
  if (style > 1) return `${second}Z`
  const digits = fraction(kind, style === 0 ? 3 : 7)
    .slice(0, 6)
    .replace(/0+$/, '')
  return digits === '' ? `${second}Z` : `${second}.${digits}Z`
}

export function isoSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** Writes a duration as `hh:mm:ss`, or as `mm:ss` for some sessions under an hour. */
export function wireDuration(seconds: number, kind: number): string {
  const two = (n: number): string => String(n).padStart(2, '0')
  const tail = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  const hours = Math.floor(seconds / 3600)
  return hours === 0 && kind % 5 === 0 ? tail : `${two(hours)}:${tail}`
}

function fraction(kind: number, digits: number): string {
  return String(hash(kind, 0xf4, digits) % 10 ** digits).padStart(digits, '0')
}

export const HOUR_MS = 3_600_000

/** The number of styles. Styles from 5 on are all the plain one, so most times are plain. */
const STYLES = 16

/** Returns the same day of another month, or that month's last day. */
export function addMonths(ms: number, months: number): number {
  const date = new Date(ms)
  const wanted = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(wanted, last))
  return date.getTime()
}

export function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
