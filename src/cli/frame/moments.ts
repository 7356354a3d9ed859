import { InvalidArgumentError } from 'commander'
import { parseDate } from '../../core/time/instant.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import { zonedDayStartMs } from '../../core/time/zone.ts'

/** Parses a calendar day from 2000 to 2099. */
export function day(value: string): string {
  if (!value.startsWith('20') || parseDate(value) === undefined)
    throw new InvalidArgumentError(
      'Expected a day of the calendar from 2000-01-01 to 2099-12-31, as yyyy-mm-dd.',
    )
  return value
}

/** Parses a calendar day or an instant. */
export function moment(value: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return day(value)
  if (!INSTANT.test(value) || Number.isNaN(Date.parse(value)))
    throw new InvalidArgumentError(
      'Expected a day, yyyy-mm-dd, or an instant such as 2026-06-30T18:00Z or 2026-06-30T18:00+02:00.',
    )
  return value
}

/** Returns the last instant of a day, or the instant itself. */
export function instantOf(when: string, zone: string): number {
  if (when.includes('T')) return Date.parse(when)
  return zonedDayStartMs(utcDay(Date.parse(when) + DAY_MS), zone) - 1
}

const INSTANT = /^20\d{2}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/
