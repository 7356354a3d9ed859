import { sql } from 'kysely'
import type { Report } from '../core/define/report.ts'
import type { ReportPeriods } from '../core/define/report-period.ts'
import { fetchedStream } from '../core/define/stream.ts'
import { ConfigurationError } from '../core/errors.ts'
import { DAY_MS, utcDay } from '../core/time/time.ts'
import { zonedDayStartMs, zonedInstant } from '../core/time/zone.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { ledgerKeptFromMs } from '../warehouse/ledger/runs.ts'
import { anyOf } from '../warehouse/schema/expressions.ts'
import { endMs, firstWholeMs, type Moment, readMoment } from './report-moment.ts'
import { local } from './report-verdict.ts'
import { readSourceRuns, type SourceRun } from './source-runs.ts'

/** The runs that a report is made from, and the runs that it is compared with. */
export interface Moments {
  moment: Moment
  /** Undefined if there is no earlier report to compare with. */
  previous: Moment | undefined
}

export interface MomentRequest {
  report: Report
  account: string
  timeZone: string
  /** Uses only runs that ended by this instant, in epoch milliseconds; default: the last runs. */
  endedByMs?: number | undefined
  /** The parameters; a cut is compared with the last cut for its owner. */
  params?: Readonly<Record<string, unknown>> | undefined
  /** The moment to compare with, in epoch milliseconds; default: the previous publication. */
  sinceMs?: number | undefined
}

/**
 * Returns the runs that a report is made from, and the runs that it is compared with. If a needed stream had
 * not been read by the requested instant, throws an error that names the earliest possible instant.
 */
export async function requestedMoments(tx: Transaction, asked: MomentRequest): Promise<Moments> {
  const { account, report, endedByMs, sinceMs, params } = asked
  const moment = await momentBy(tx, asked, endedByMs)
  if (sinceMs === undefined)
    return { moment, previous: await previousMoment(tx, { account, report, params }, moment) }
  if (report.needs.length === 0) throw tellsOfLedgers(report)
  const previous = await momentBy(tx, asked, sinceMs)
  if (endMs(previous) >= endMs(moment)) throw noneSince(asked, endMs(previous))
  return { moment, previous }
}

async function momentBy(
  tx: Transaction,
  { account, report, timeZone }: MomentRequest,
  endedByMs: number | undefined,
): Promise<Moment> {
  if (endedByMs !== undefined) {
    const earliestMs = await firstWholeMs(tx, account, report)
    if (earliestMs !== undefined && earliestMs > endedByMs)
      throw tooEarly(report, { askedMs: endedByMs, earliestMs, timeZone })
  }
  return await readMoment(tx, account, { ...report, endedByMs })
}

/**
 * Returns the runs of the last publication that was made from earlier runs of the needed streams, so that a
 * repeated publication has the same comparison. Undefined if there is none, or its runs are gone.
 */
async function previousMoment(
  tx: Transaction,
  { account, report, params }: Pick<MomentRequest, 'account' | 'report' | 'params'>,
  moment: Moment,
): Promise<Moment | undefined> {
  const needed = new Set(report.needs.map((stream) => fetchedStream(stream).name))
  const runs = [...moment].flatMap(([name, run]) => (needed.has(name) ? [run] : []))
  if (runs.length === 0) return undefined
  const row = await tx
    .selectFrom('callsheet.published_reports as p')
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('callsheet.runs')
        .select(({ fn }) => fn.max('id').as('newest'))
        .where('account', '=', account)
        .where(({ eb, fn }) => eb('id', '=', fn.any('p.run_ids')))
        .where('job', '=', anyOf([...new Set(runs.map(({ job }) => job))]))
        .as('r'),
    )
    .select('p.run_ids')
    .where('p.account', '=', account)
    .where('p.report', '=', report.name)
    .where(sql`p.params ->> 'owner'`, 'is not distinct from', params?.owner ?? null)
    .where('r.newest', '<', Math.max(...runs.map(({ id }) => id)))
    .orderBy('r.newest', 'desc')
    .orderBy('p.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return matched(moment, await readSourceRuns(tx, account, row.run_ids), needed)
}

/** Returns each stream's published run, by its job; undefined if a needed stream has none on record. */
function matched(
  moment: Moment,
  published: readonly SourceRun[],
  needed: ReadonlySet<string>,
): Moment | undefined {
  const previous = new Map<string, SourceRun>()
  for (const [stream, { job }] of moment) {
    const run = published.find((one) => one.job === job)
    if (run !== undefined) previous.set(stream, run)
    else if (needed.has(stream)) return undefined
  }
  return previous
}

/**
 * Throws an error for moments that the ledger no longer covers. The error names the first whole day covered.
 * The last attempt of each slice is never pruned, so a report as of now can cover any period. A report as of
 * an earlier instant, or one that uses the ledger's entries of its period, needs all entries.
 */
export async function checkLedgerCovers(
  tx: Transaction,
  { report, account, timeZone, endedByMs, sinceMs }: MomentRequest,
  periods: ReportPeriods | undefined,
): Promise<void> {
  const restsOnEntries = report.needs.length === 0
  const asked = [endedByMs, sinceMs, restsOnEntries ? periods?.period.fromMs : undefined]
  const askedMs = Math.min(...asked.map((ms) => ms ?? Infinity))
  if (askedMs === Infinity) return
  const keptFromMs = await ledgerKeptFromMs(tx)
  if (keptFromMs === undefined || askedMs >= keptFromMs) return
  const earliest = firstWholeDay(keptFromMs, timeZone)
  throw new ConfigurationError('ledger_not_kept', {
    tried: `Creating ${report.title} for the account ${account}, from ${dayOf(askedMs, timeZone)}`,
    came: `the sync records of that time were pruned (ledger.keepMonths); they begin on ${earliest}`,
    todo: `choose ${earliest} or a later day`,
  })
}

function dayOf(atMs: number, timeZone: string): string {
  return zonedInstant(atMs, timeZone).slice(0, 10)
}

function firstWholeDay(atMs: number, timeZone: string): string {
  const day = dayOf(atMs, timeZone)
  if (zonedDayStartMs(day, timeZone) >= atMs) return day
  return utcDay(Date.parse(day) + DAY_MS)
}

function tooEarly(
  { title }: Report,
  { askedMs, earliestMs, timeZone }: { askedMs: number; earliestMs: number; timeZone: string },
): ConfigurationError {
  // Rounded up to the minute, so that it can be requested.
  const earliest = local(earliestMs + MINUTE_MS, timeZone)
  return new ConfigurationError('as_of_too_early', {
    tried: `Creating ${title} as of ${local(askedMs, timeZone)}`,
    came: 'at that time, no run had yet read all the data that the report needs',
    todo: `choose ${earliest} (${timeZone}) or later`,
  })
}

function noneSince({ report, timeZone }: MomentRequest, previousMs: number): ConfigurationError {
  return new ConfigurationError('since_not_before', {
    tried: `Comparing ${report.title} with ${local(previousMs, timeZone)}`,
    came: 'no newer run has read the data of the report since then',
    todo: 'choose an earlier --since, or run callsheet sync first',
  })
}

function tellsOfLedgers({ title }: Report): ConfigurationError {
  return new ConfigurationError('since_not_before', {
    tried: `Comparing ${title} with an earlier time`,
    came: 'this report shows what runs did, which never changes afterwards',
    todo: 'leave out --since',
  })
}

const MINUTE_MS = 60_000
