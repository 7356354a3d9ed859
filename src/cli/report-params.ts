import type { OpenWarehouse } from '../account/wire.ts'
import type { Report } from '../core/define/report.ts'
import type { ReportFormat } from '../core/define/report-format.ts'
import { ConfigurationError } from '../core/errors.ts'
import { DAY_MS } from '../core/time/time.ts'
import { addMonths, checkTimeZone, zonedInstant } from '../core/time/zone.ts'
import type { CommonOptions } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { instantOf } from './frame/moments.ts'

export interface ReportOptions extends CommonOptions {
  account?: string
  month?: string[]
  day?: string
  from?: string
  to?: string
  whiteboard?: string
  user?: string
  owner?: string
  timezone?: string
  /** A day, which means its end, or an instant. */
  asOf?: string
  since?: string
  format?: ReportFormat[]
  out?: string
}

export interface ReportFrame {
  context: Context
  opened: OpenWarehouse
  options: ReportOptions
}

/** Returns one set of parameters per requested month, or one set if no month is requested. */
export function monthParams(
  { context, opened, options }: ReportFrame,
  report: Report,
): Record<string, string>[] {
  const { day, from, to, whiteboard, user, owner, timezone } = options
  const named = Object.entries({ day, from, to, whiteboard, user, owner, timezone })
  const given = Object.fromEntries(
    named.flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  )
  const today = dayNow({ context, opened, options })
  const thisMonth = today.slice(0, 7)
  const overDays = 'from' in report.params.shape
  const months = options.month ?? []
  for (const month of months)
    if (month > thisMonth) throw notYet(report.name, month, `a month up to ${thisMonth}`)
  if (day !== undefined && day > today) throw notYet(report.name, day, `a day up to ${today}`)
  if (from !== undefined && from > today)
    throw notYet(report.name, from, `a first day up to ${today}`)
  for (const when of [options.asOf, options.since])
    if (when !== undefined && instantOf(when, 'UTC') > context.clock.now() + DAY_MS)
      throw notYet(report.name, when, `a moment up to ${today}`)
  if (months.length === 0) return [given]
  return months.map((month) => ({ ...given, ...(overDays ? daysOf(month) : { month }) }))
}

/** Converts a month to days, for a report over days. */
function daysOf(month: string): { from: string; to: string } {
  const nextMs = Date.parse(`${addMonths(month, 1)}-01`)
  return { from: `${month}-01`, to: new Date(nextMs - 1).toISOString().slice(0, 10) }
}

/** Returns the report's as-of day, today by default. */
export function dayNow(frame: ReportFrame): string {
  return zonedInstant(askedMs(frame) ?? frame.context.clock.now(), zoneOf(frame)).slice(0, 10)
}

export function askedMs({ options, ...frame }: ReportFrame): number | undefined {
  return options.asOf === undefined
    ? undefined
    : instantOf(options.asOf, zoneOf({ options, ...frame }))
}

export function zoneOf({ opened, options }: Omit<ReportFrame, 'context'>): string {
  return checkTimeZone(options.timezone ?? opened.wiring.config.timezone)
}

function notYet(report: string, begin: string, latest: string): ConfigurationError {
  return new ConfigurationError('month_in_future', {
    tried: `Creating the report ${report}`,
    came: `${begin} is in the future`,
    todo: `choose ${latest}`,
  })
}

export function monthAndDays(report: string): ConfigurationError {
  return new ConfigurationError('report_params', {
    tried: `Reading the parameters of the report ${report}`,
    came: '--month was given together with --from or --to',
    todo: 'use either --month, or --from and --to, which can span several months',
  })
}
