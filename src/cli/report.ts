import { type Command, InvalidArgumentError } from 'commander'
import { chooseAccounts, pick } from '../account/choose.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { Report } from '../core/define/report.ts'
import { REPORT_FORMATS } from '../core/define/report-format.ts'
import { settingsOf } from '../core/define/settings-of.ts'
import { ConfigurationError } from '../core/errors.ts'
import { DAY_MS, utcMinutes } from '../core/time/time.ts'
import { zonedDayStartMs } from '../core/time/zone.ts'
import { bytesText } from '../core/values/quantities.ts'
import type { PublishedReport } from '../report/publish-report.ts'
import type { StreamCoverage } from '../report/report-coverage.ts'
import type { Hooks } from '../serve/work/hooks.ts'
import { asCalled, calledAs } from './frame/called-as.ts'
import { collect, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { worst } from './frame/exit-codes.ts'
import { fromHere, keptLines } from './frame/kept-lines.ts'
import { day, instantOf, moment } from './frame/moments.ts'
import { describeError, errorLines, exitCodeOf } from './frame/print-error.ts'
import { withHooks } from './frame/with-hooks.ts'
import {
  askedMs,
  dayNow,
  monthAndDays,
  monthParams,
  type ReportFrame,
  type ReportOptions,
  zoneOf,
} from './report-params.ts'

export function reportCommand(run: Runner): Command {
  return defineCommand('report', 'Create a report from the synced data', [
    'report session-quality',
    'report session-quality --month 2026-04 --month 2026-05',
    'report number-inventory --format xlsx --out /tmp',
    'report whiteboard-audit --from 2026-06-01 --to 2026-06-14',
    'report whiteboard-audit --user ID --month 2026-06',
    'report reconciliation --day 2026-06-30',
    'report session-quality --as-of 2026-06-03',
    'report number-inventory --since 2026-06-01',
    'report recordings',
    'report access-review',
    'report session-quality --owner "Sales EMEA"',
  ])
    .argument('[name]', 'report to create (default: list all reports)')
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .option('-m, --month <yyyy-mm>', 'month of a monthly report (repeatable)', monthOf)
    .option('--day <yyyy-mm-dd>', 'day of a daily report (default: yesterday)', day)
    .option('--from <yyyy-mm-dd>', 'first day of a report over days', day)
    .option('--to <yyyy-mm-dd>', 'last day (inclusive)', day)
    .option('--whiteboard <id>', 'only this board, if the report supports it')
    .option('--user <id>', 'only this user (ID or email), if the report supports it')
    .option('--owner <name>', 'only the rows of this owner (reports.owners)')
    .option('--timezone <zone>', 'time zone of days and months')
    .option('--as-of <when>', 'as synced by the end of this day, or by this time', moment)
    .option('--since <when>', 'show changes since then (default: since the last report)', moment)
    .option('-f, --format <format>', `${FORMATS}; repeatable`, format)
    .option('-o, --out <folder>', 'output folder')
    .addHelpText(
      'after',
      '\nExit code 4: the report was created, but some of its data has not been\n' +
        'synced. Data of the current month counts as missing only 36 hours after a sync.\n' +
        'Exit code 1: it failed, or one of its formats was not made.',
    )
    .action((name: string | undefined, options: ReportOptions) =>
      run(options, (context) => makeReports(context, name, options), { databases: 'each' }),
    )
}

function monthOf(value: string, before?: readonly string[]): string[] {
  if (!/^20\d{2}-(0[1-9]|1[0-2])$/.test(value))
    throw new InvalidArgumentError('Expected a month from 2000-01 to 2099-12, as yyyy-mm.')
  return collect(value, before)
}

function format(value: string, before?: readonly string[]): string[] {
  if (!REPORT_FORMATS.some((known) => known === value))
    throw new InvalidArgumentError(`Expected ${FORMATS}.`)
  return collect(value, before)
}

/**
 * Makes one report per account and month. A failed report does not stop the others, unless the configuration
 * or a parameter is wrong. Without a name, lists the reports.
 */
export async function makeReports(
  context: Context,
  name: string | undefined,
  options: ReportOptions,
): Promise<number> {
  const { reports } = await import('../account/catalog.ts')
  if (name === undefined) return listReports(context, reports)
  const report = pick('report', name, reports)
  if (options.month !== undefined && (options.from !== undefined || options.to !== undefined))
    throw monthAndDays(report.name)
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  return await withWarehouse(context, { migrate: false }, async (opened) => {
    const frame = { context, opened, options }
    const wanted = monthParams(frame, report)
    return await withHooks(context, opened, async (hooks) => {
      const told = new Set<string>()
      const made: Made[] = []
      for (const { name: account } of accounts)
        for (const params of wanted) {
          if (context.signal.aborted) break
          made.push(
            await makeOne({ ...frame, hooks }, { report, account, params }).catch(
              (error: unknown) => notMade(context, { report, account, error, told }),
            ),
          )
        }
      context.output.result({ reports: made.map(({ result }) => result) })
      return worst(made.map(({ code }) => code))
    })
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
  /** Errors that were already printed. */
  told: Set<string>
}

/** Reports the error of one report. Rethrows a stop and a configuration error, which end the command. */
function notMade(
  { output, verbose, signal }: Context,
  { report, account, error, told }: NotMade,
): Made {
  if (error instanceof ConfigurationError || signal.aborted) throw error
  const lines = errorLines(error, verbose)
  if (!told.has(lines.join())) for (const line of lines) output.note(line)
  told.add(lines.join())
  const result = { report: report.name, account, error: describeError(error) }
  return { result, code: exitCodeOf(error) }
}

async function makeOne(
  frame: ReportFrame & { hooks: Hooks },
  wanted: { report: Report; account: string; params: Record<string, unknown> },
): Promise<Made> {
  const { publishReport } = await import('../report/publish-report.ts')
  const { openPrinter } = await import('../account/open-printer.ts')
  const { jobs } = await import('../account/catalog.ts')
  const { refuseRestored } = await import('../warehouse/ledger/lineage.ts')
  const { context, opened, options } = frame
  const { reports: settings } = opened.wiring.config
  await refuseRestored(opened.warehouse, wanted.account)
  const published = await publishReport(opened, {
    ...wanted,
    settings: settingsOf(wanted.report, settings.settings),
    owners: settings.owners,
    jobs,
    timeZone: opened.wiring.config.timezone,
    endedByMs: askedMs(frame),
    sinceMs: options.since === undefined ? undefined : instantOf(options.since, zoneOf(frame)),
    directory: options.out ?? settings.directory,
    formats: options.format ?? settings.formats,
    printer: openPrinter(opened.wiring, context.signal),
  })
  // Hooks get no cut, because it is for its owner alone.
  if (options.owner === undefined)
    frame.hooks.afterReport(wanted.account, wanted.report.name, published)
  const month = dayNow(frame).slice(0, 7)
  const monthMs = zonedDayStartMs(`${month}-01`, zoneOf(frame))
  const excusedMs = Math.max(monthMs, (askedMs(frame) ?? context.clock.now()) - NIGHTLY_MS)
  const whole = published.coverage.every((one) => one.optional || isWholeBefore(excusedMs, one))
  print(context, wanted, { ...published, whole })
  const codes = [
    whole && published.settled ? 0 : SOME_INCOMPLETE,
    published.notMade.length > 0 ? FORMAT_NOT_MADE : 0,
  ]
  return {
    result: { report: wanted.report.name, account: wanted.account, ...published },
    code: worst(codes),
  }
}

/**
 * Whether everything before `excusedMs` was read. The current month is never complete, and whoever requests
 * it knows that. So only data that no nightly sync can have read yet is excused, not data of earlier months.
 */
function isWholeBefore(excusedMs: number, { whole, missing, setAside }: StreamCoverage): boolean {
  if (whole || setAside > 0) return whole
  return missing.length > 0 && missing.every(({ fromMs }) => fromMs >= excusedMs)
}

type Printed = PublishedReport & { whole: boolean }

function print(
  { output }: Context,
  { report, account, params }: { report: Report; account: string; params: Record<string, unknown> },
  { files, asOfMs, covered, settled, open, coverage, warnings, notMade: lacking, whole }: Printed,
): void {
  const asOf = utcMinutes(asOfMs)
  const owner = typeof params.owner === 'string' ? `, owner ${params.owner}` : ''
  output.line(`${report.title}, account ${account}${owner}, as of ${asOf} UTC`)
  output.table(files.map(({ path, bytes }) => [`  ${fromHere(path)}`, bytesText(bytes)]))
  for (const line of [...warnings, ...keptLines(files)]) output.note(`warning: ${line}`)
  for (const { format: name, came, todo } of lacking) {
    output.note(`error: no ${name.toUpperCase()} was made: ${came}`)
    output.note(`  what to do: ${asCalled(todo)}`)
  }
  const reasons = [...new Set(open)].join(' ')
  if (!settled)
    output.note(`warning: the day does not balance: ${reasons} The report shows open items in red.`)
  if (covered || !settled) return
  const unread = coverage.filter((one) => !one.whole && !one.optional).map(({ stream }) => stream)
  const [month, from, to] = [params.month, params.from, params.to].map((value) =>
    typeof value === 'string' ? value : undefined,
  )
  const of =
    month === undefined ? (from === undefined ? '' : ` from ${from} to ${to}`) : ` of ${month}`
  output.note(
    whole
      ? `${unread.join(', ')}${of}: read up to the last sync; the period has not ended yet`
      : `warning: ${unread.join(', ')}${of} is not fully synced, so figures are too low or partial; ` +
          'the report shows what is missing in red',
  )
}

function listReports({ output }: Context, reports: readonly Report[]): number {
  output.table([
    ['report', { heading: 'title', least: 30 }],
    ...reports.map(({ name, title }) => [name, title]),
  ])
  output.line(`\nCreate one with: ${calledAs('callsheet')} report NAME`)
  output.result({ reports: reports.map(({ name, title }) => ({ name, title })) })
  return 0
}

const FORMATS = `${REPORT_FORMATS.slice(0, -1).join(', ')} or ${REPORT_FORMATS.at(-1)}`

/** The time from the beginning of one night's sync to the end of the next, with some hours to spare. */
const NIGHTLY_MS = 1.5 * DAY_MS

/** The same exit code as of a sync that left slices incomplete. */
const SOME_INCOMPLETE = 4
/** Not 4, because the data is no less complete. */
const FORMAT_NOT_MADE = 1
