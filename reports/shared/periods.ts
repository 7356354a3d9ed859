import { z } from 'zod'
import type { Period, ReportMoment, ReportPeriods } from '../../src/core/define/report-period.ts'
import { ConfigurationError } from '../../src/core/errors.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { addMonths, zonedDayStartMs, zonedInstant } from '../../src/core/time/zone.ts'
import { addDays, daysOf } from './calendar.ts'

/** The time zone parameter of every report. */
export const TIME_ZONE = {
  timezone: z
    .string()
    .optional()
    .describe('In which zone days begin and times are; the configuration’s by default'),
}

const day = z.iso.date('a day is yyyy-mm-dd, e.g. 2026-06-01').optional()
const ofRange = (which: string) =>
  day.describe(`The ${which} day, yyyy-mm-dd; the last full month when both are left out`)

/** The parameters of a report over days (both inclusive), over one day, and over a month. */
export const DAY_RANGE = { from: ofRange('first'), to: ofRange('last') }
export const ONE_DAY = {
  day: day.describe('The day, yyyy-mm-dd; the last full day when it is left out'),
}
export const ONE_MONTH = {
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'a month is yyyy-mm, e.g. 2026-10')
    .optional()
    .describe('The month, yyyy-mm; the last full month when left out'),
}

interface Given {
  from?: string | undefined
  to?: string | undefined
}

/** Returns the requested days, by default the last full month, and as many days (or the month) before. */
export function dayRange({ from, to }: Given, moment: ReportMoment): ReportPeriods {
  const { timeZone } = moment
  if (from === undefined && to === undefined) return ofMonth(lastFullMonth(moment), timeZone)
  if (from === undefined || to === undefined || to < from || lengthOf(from, to) > MOST_DAYS)
    throw wrongDays({ from, to })
  const month = from.slice(0, 7)
  if (from === daysOf(month)[0] && to === daysOf(month).at(-1)) return ofMonth(month, timeZone)
  const before = addDays(from, -lengthOf(from, to))
  return {
    period: periodOf(from, to, timeZone),
    before: periodOf(before, addDays(from, -1), timeZone),
  }
}

/** Returns the requested day, or the last full day before the report's moment, and the day before. */
export function oneDay(given: { day?: string | undefined }, moment: ReportMoment): ReportPeriods {
  const named = given.day ?? addDays(localDay(moment), -1)
  return dayRange({ from: named, to: named }, moment)
}

/**
 * Returns the requested month, by default the last full month, and the month before. The current month is
 * compared with the previous one up to the same day and time, if that month has such a day.
 */
export function oneMonth(
  { month }: { month?: string | undefined },
  moment: ReportMoment,
): ReportPeriods {
  const { asOfMs, timeZone } = moment
  const { period, before } = ofMonth(month ?? lastFullMonth(moment), timeZone)
  const today = localDay(moment)
  const sameDay = `${before.label}${today.slice(7)}`
  if (!today.startsWith(period.label) || !daysOf(before.label).includes(sameDay))
    return { period, before }
  const toMs = zonedDayStartMs(sameDay, timeZone) + asOfMs - zonedDayStartMs(today, timeZone)
  return { period, before: { ...before, toMs, label: `${before.label}-01..${sameDay}` } }
}

/** Returns all local days of a period, as `yyyy-mm-dd`. */
export function periodDays({ fromMs, toMs }: Period, timeZone: string): string[] {
  const days: string[] = []
  const last = zonedInstant(toMs - 1_000, timeZone).slice(0, 10)
  for (let at = zonedInstant(fromMs, timeZone).slice(0, 10); at <= last; at = addDays(at, 1))
    days.push(at)
  return days
}

/** Returns the last `count` months up to and including `month`, earliest first. */
export function monthsUpTo(month: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => addMonths(month, at + 1 - count))
}

function ofMonth(month: string, timeZone: string): ReportPeriods {
  const whole = (name: string): Period => ({
    fromMs: zonedDayStartMs(`${name}-01`, timeZone),
    toMs: zonedDayStartMs(`${addMonths(name, 1)}-01`, timeZone),
    label: name,
  })
  return { period: whole(month), before: whole(addMonths(month, -1)) }
}

function periodOf(from: string, to: string, timeZone: string): Period {
  return {
    fromMs: zonedDayStartMs(from, timeZone),
    toMs: zonedDayStartMs(addDays(to, 1), timeZone),
    label: from === to ? from : `${from}..${to}`,
  }
}

function localDay({ asOfMs, timeZone }: ReportMoment): string {
  return zonedInstant(asOfMs, timeZone).slice(0, 10)
}

function lastFullMonth(moment: ReportMoment): string {
  return addMonths(localDay(moment).slice(0, 7), -1)
}

function lengthOf(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
}

function wrongDays({ from, to }: Given): ConfigurationError {
  return new ConfigurationError('report_params', {
    tried: 'Reading the days of a report',
    expected: `a first day, and a last day at most ${MOST_DAYS} days later`,
    came: `they are from ${from ?? '(missing)'} to ${to ?? '(missing)'}`,
    todo: 'pass both --from and --to, or leave out both for the last full month',
  })
}

/** The maximum number of days: three years. Charts of more would be unreadable, and no archive is older. */
const MOST_DAYS = 1_098
