import { z } from 'zod'
import type { Period, ReportMoment, ReportPeriods } from '../../src/core/define/report.ts'
import { ConfigurationError } from '../../src/core/errors.ts'
import { addMonths, zonedDayStartMs, zonedInstant } from '../../src/core/time/zone.ts'
import { addDays, daysOf } from './calendar.ts'

const day = (which: string) =>
  z.iso
    .date('a day is yyyy-mm-dd, e.g. 2026-06-01')
    .optional()
    .describe(`The ${which} day, yyyy-mm-dd; the last full month when both are left out`)

/** The parameters of a report over days, both of which count. */
export const DAY_RANGE = { from: day('first'), to: day('last') }

interface Given {
  from?: string | undefined
  to?: string | undefined
}

/** The named days, or the last full month; and as many days, or the month, before. */
export function dayRange({ from, to }: Given, moment: ReportMoment): ReportPeriods {
  const { timeZone } = moment
  if (from === undefined && to === undefined)
    return ofMonth(addMonths(localDay(moment).slice(0, 7), -1), timeZone)
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

/** Every local day of a period, as `yyyy-mm-dd`. */
export function periodDays({ fromMs, toMs }: Period, timeZone: string): string[] {
  const days: string[] = []
  const last = zonedInstant(toMs - 1_000, timeZone).slice(0, 10)
  for (let at = zonedInstant(fromMs, timeZone).slice(0, 10); at <= last; at = addDays(at, 1))
    days.push(at)
  return days
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

function lengthOf(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
}

function wrongDays({ from, to }: Given): ConfigurationError {
  return new ConfigurationError('report_params', {
    tried: 'Reading the days of a report',
    expected: `both a first and a last day, in this order, at most ${MOST_DAYS} days`,
    came: `from ${from ?? 'nothing'} to ${to ?? 'nothing'}`,
    todo: 'give both --from and --to, or neither for the last full month',
  })
}

/** Three years: charts of more would show nothing, and no archive lives so long. */
const MOST_DAYS = 1_098
