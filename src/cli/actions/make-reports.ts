import { reports } from '../../account/catalog.ts'
import { chooseAccounts, pick } from '../../account/choose.ts'
import { type OpenWarehouse, withWarehouse } from '../../account/wire.ts'
import type { Report } from '../../core/define/report.ts'
import type { ReportFormat } from '../../core/define/report-format.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { DAY_MS, utcMinutes } from '../../core/time/time.ts'
import { addMonths, checkTimeZone, zonedDayStartMs, zonedInstant } from '../../core/time/zone.ts'
import { type PublishedReport, publishReport } from '../../report/publish-report.ts'
import type { StreamCoverage } from '../../report/report-coverage.ts'
import { refuseRestored } from '../../warehouse/ledger/lineage.ts'
import { calledAs } from '../frame/called-as.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { worst } from '../frame/exit-codes.ts'
import { fromHere, keptLines } from '../frame/kept-lines.ts'
import { instantOf } from '../frame/moments.ts'
import { count } from '../frame/output.ts'
import { describeError, errorLines, exitCodeOf } from '../frame/print-error.ts'

export interface ReportOptions extends CommonOptions {
  account?: string
  month?: string[]
  day?: string
  from?: string
  to?: string
  whiteboard?: string
  user?: string
  timezone?: string
  /** A day, at the end of which, or an instant. */
  asOf?: string
  since?: string
  format?: ReportFormat[]
  out?: string
}

/**
 * One report for each account and month asked for; one that cannot be made does not keep the next from being
 * made. Without a name: which reports there are.
 */
export async function makeReports(
  context: Context,
  name: string | undefined,
  options: ReportOptions,
): Promise<number> {
  if (name === undefined) return listReports(context)
  const report = pick('report', name, reports)
  if (options.month !== undefined && (options.from !== undefined || options.to !== undefined))
    throw monthAndDays(report.name)
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  return await withWarehouse(context, { migrate: false }, async (opened) => {
    const frame = { context, opened, options }
    const wanted = paramsOf(frame, report)
    const told = new Set<string>()
    const made: Made[] = []
    for (const { name: account } of accounts)
      for (const params of wanted) {
        if (context.signal.aborted) break
        made.push(
          await makeOne(frame, { report, account, params }).catch((error: unknown) =>
            notMade(context, { report, account, error, told }),
          ),
        )
      }
    context.output.result({ reports: made.map(({ result }) => result) })
    return worst(made.map(({ code }) => code))
  })
}

interface Made {
  result: object
  code: number
}

interface NotMade {
  report: Report
  account: string
  error: unknown
  /** What was said of other months. */
  told: Set<string>
}

/** What is wrong with the parameters is so for all accounts, and keeps all of them from having reports. */
function notMade({ output, verbose }: Context, { report, account, error, told }: NotMade): Made {
  if (error instanceof ConfigurationError) throw error
  const lines = errorLines(error, verbose)
  if (!told.has(lines.join())) for (const line of lines) output.note(line)
  told.add(lines.join())
  const result = { report: report.name, account, error: describeError(error) }
  return { result, code: exitCodeOf(error) }
}

interface Frame {
  context: Context
  opened: OpenWarehouse
  options: ReportOptions
}

/** One set of parameters for each month asked for; a report of the present has no month. */
function paramsOf({ context, opened, options }: Frame, report: Report): Record<string, string>[] {
  const settings = opened.wiring.config.reports
  const { day, from, to, whiteboard, user, timezone } = options
  const named = Object.entries({ day, from, to, whiteboard, user, timezone })
  const given = Object.fromEntries(
    named.flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  )
  const today = dayNow({ context, opened, options })
  const thisMonth = today.slice(0, 7)
  const overDays = 'from' in report.params.shape
  const current = settings.month === 'current' && from === undefined && to === undefined
  const standard = current && (overDays || 'month' in report.params.shape) ? [thisMonth] : []
  const months = options.month ?? standard
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

/** A month for a report over days. */
function daysOf(month: string): { from: string; to: string } {
  const nextMs = Date.parse(`${addMonths(month, 1)}-01`)
  return { from: `${month}-01`, to: new Date(nextMs - 1).toISOString().slice(0, 10) }
}

/** The day as of which the report is made: of today, or of a day before. */
function dayNow(frame: Frame): string {
  return zonedInstant(askedMs(frame) ?? frame.context.clock.now(), zoneOf(frame)).slice(0, 10)
}

function askedMs({ options, ...frame }: Frame): number | undefined {
  return options.asOf === undefined
    ? undefined
    : instantOf(options.asOf, zoneOf({ options, ...frame }))
}

function zoneOf({ opened, options }: Omit<Frame, 'context'>): string {
  return checkTimeZone(options.timezone ?? opened.wiring.config.reports.timezone)
}

function notYet(report: string, begin: string, expected: string): ConfigurationError {
  return new ConfigurationError('month_in_future', {
    tried: `Making the report ${report} of ${begin}`,
    expected,
    came: 'it has not begun yet',
  })
}

function monthAndDays(report: string): ConfigurationError {
  return new ConfigurationError('report_params', {
    tried: `Reading the parameters of the report ${report}`,
    expected: 'either --month or --from and --to',
    came: 'a month and days',
    todo: 'leave out what is not meant; days can reach over several months',
  })
}

async function makeOne(
  frame: Frame,
  wanted: { report: Report; account: string; params: Record<string, unknown> },
): Promise<Made> {
  const { context, opened, options } = frame
  const { reports: settings } = opened.wiring.config
  await refuseRestored(opened.warehouse, wanted.account)
  const published = await publishReport(opened, {
    ...wanted,
    settings: settings.settings[wanted.report.name],
    timeZone: settings.timezone,
    endedByMs: askedMs(frame),
    sinceMs: options.since === undefined ? undefined : instantOf(options.since, zoneOf(frame)),
    directory: options.out ?? settings.directory,
    formats: options.format ?? settings.formats,
  })
  print(context, wanted, published)
  const month = dayNow(frame).slice(0, 7)
  const monthMs = zonedDayStartMs(`${month}-01`, zoneOf(frame))
  const excusedMs = Math.max(monthMs, (askedMs(frame) ?? context.clock.now()) - NIGHTLY_MS)
  const whole = published.coverage.every((one) => one.optional || isWholeBefore(excusedMs, one))
  return {
    result: { report: wanted.report.name, account: wanted.account, ...published },
    code: whole && published.settled ? 0 : SOME_INCOMPLETE,
  }
}

/**
 * The month that runs now cannot be whole, and who asks for it knows that. But only what no nightly sync can
 * have read yet is excused, and nothing of the months before.
 */
function isWholeBefore(excusedMs: number, { whole, missing, setAside }: StreamCoverage): boolean {
  if (whole || setAside > 0) return whole
  return missing.length > 0 && missing.every(({ fromMs }) => fromMs >= excusedMs)
}

function print(
  { output }: Context,
  { report, account, params }: { report: Report; account: string; params: Record<string, unknown> },
  { files, asOfMs, covered, settled, open, coverage, warnings }: PublishedReport,
): void {
  const asOf = utcMinutes(asOfMs)
  output.line(`${report.title}, account ${account}, as of ${asOf} UTC`)
  output.table(
    files.map(({ path, bytes }) => [`  ${fromHere(path)}`, `${count(Math.ceil(bytes / 1024))} KB`]),
  )
  for (const line of [...warnings, ...keptLines(files)]) output.note(`warning: ${line}`)
  const reasons = [...new Set(open)].join(' ')
  if (!settled)
    output.note(
      `warning: the day does not balance: ${reasons} The report says in red what is open.`,
    )
  if (covered || !settled) return
  const unread = coverage
    .filter(({ whole, optional }) => !whole && !optional)
    .map(({ stream }) => stream)
  const [month, from, to] = [params.month, params.from, params.to].map((value) =>
    typeof value === 'string' ? value : undefined,
  )
  const of =
    month === undefined ? (from === undefined ? '' : ` from ${from} to ${to}`) : ` of ${month}`
  output.note(
    `warning: ${unread.join(', ')}${of} was not read whole, so the figures are too low or partial; ` +
      'the report says in red what is missing',
  )
}

function listReports({ output }: Context): number {
  output.table([['report', 'title'], ...reports.map(({ name, title }) => [name, title])])
  output.line(`\nMake one with: ${calledAs('callsheet')} report NAME`)
  output.result({ reports: reports.map(({ name, title }) => ({ name, title })) })
  return 0
}

/** From one night's sync to the end of the next, with some hours to spare. */
const NIGHTLY_MS = 1.5 * DAY_MS

/** As a sync ends that left slices incomplete. */
const SOME_INCOMPLETE = 4
