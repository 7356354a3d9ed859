import type {
  Report,
  ReportContext,
  ReportDocument,
  ReportPeriods,
  Section,
} from '../../core/declare/report.ts'
import type { Stream } from '../../core/declare/stream.ts'
import type { Relation, ReportRow, Version } from '../../core/declare/stream-row.ts'
import type { Window } from '../../core/time/spans.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import { endKeeping, keepRows } from '../../warehouse/load/keep-rows.ts'
import { momentsAsked } from './moments-asked.ts'
import { refuseUnkept } from './refuse-unkept.ts'
import { readCoverage, type StreamCoverage } from './report-coverage.ts'
import * as moments from './report-moment.ts'
import { framed } from './report-provenance.ts'
import { goneAsOf, noRows, noVersions, rowsAsOf, versionsAsOf } from './report-rows.ts'
import { subtitleOf } from './report-subtitle.ts'
import { isWhole, verdictOf } from './report-verdict.ts'

export interface Prepared {
  document: ReportDocument
  moment: moments.Moment
  coverage: StreamCoverage[]
  /** Whether nothing that the report tells of is open. */
  settled: boolean
  warnings: string[]
  periods: ReportPeriods | undefined
  timeZone: string
}

/** A report that is to be made, its parameters read. */
export interface ReadyRequest {
  report: Report
  account: string
  params: Record<string, unknown>
  /** What the configuration says for the report; the report's defaults if not given. */
  settings?: Readonly<Record<string, unknown>> | undefined
  timeZone: string
  /** By the runs that had ended by then, epoch milliseconds; by the last ones if not given. */
  endedByMs?: number | undefined
  /** Compared with how things stood then, epoch milliseconds; with the publication before if not given. */
  sinceMs?: number | undefined
}

/** Builds what a report says, from the tables of the transaction. */
export async function prepareReport(tx: Transaction, request: ReadyRequest): Promise<Prepared> {
  const { report, account, params, timeZone, sinceMs } = request
  await planForWholeTables(tx)
  const { moment, previous } = await momentsAsked(tx, request)
  const asOfMs = await moments.asOfMs(tx, request, moment)
  const periods = report.periods(params, { asOfMs, timeZone })
  await refuseUnkept(tx, request, periods)
  const cover = (period: ReportPeriods['period'] | undefined) =>
    readCoverage(tx, { account, moment }, { report, period })
  const coverage = await cover(periods?.period)
  const beforeCovered = periods === undefined ? undefined : isWhole(await cover(periods.before))
  const read =
    (from: moments.Moment) =>
    <S extends Stream>(stream: S) =>
      readAsOf(request, from, stream)
  const settings = report.settings?.parse(request.settings ?? {})
  const previousAsOfMs =
    previous && (await moments.asOfMs(tx, { account, report, endedByMs: sinceMs }, previous))
  const runId = (stream: Stream) => moment.get(moments.fetchedStream(stream).name)?.id
  const context: ReportContext<Record<string, unknown>, Stream, Record<string, unknown>> = {
    db: tx,
    account,
    rows: read(moment),
    goneRows: (stream) => goneAsOf(stream, account, moment.get(moments.fetchedStream(stream).name)),
    versions: (stream) => versionsOf(request, moment, stream),
    runId,
    previousRows: previous === undefined ? undefined : read(previous),
    since: sinceMs !== undefined,
    keep: (name, query) => keepRows(tx, name, query),
    params,
    settings: settings ?? {},
    timeZone,
    periods,
    coverage: {
      whole: isWhole(coverage),
      verdict: verdictOf({ coverage, periods, timeZone, asOfMs }),
      unread: unreadOf(coverage),
    },
    beforeCovered: beforeCovered === true,
    unreadIn: async (stretch) => unreadOf(await cover({ ...stretch, label: '' })),
    asOfMs,
    previousAsOfMs,
  }
  const built = await report.build(context)
  await endKeeping(tx)
  const more = built
    .filter((section) => section.provenance === true)
    .flatMap(({ blocks }) => blocks)
  const sections = built.filter((section) => section.provenance !== true)
  const comparedMs = periods === undefined || sinceMs !== undefined ? previousAsOfMs : undefined
  const facts = { account, timeZone, asOfMs, periods, coverage, beforeCovered, comparedMs }
  const unread = unreadStreams(report, moment)
  const only = otherParams(params)
  const provenance = { ...facts, unread, params: only, more }
  const subtitle = subtitleOf({ account, asOfMs, periods, timeZone, only })
  const runsEndMs = moment.size === 0 ? asOfMs : moments.endMs(moment)
  const origin = { title: report.title, report: report.name, account, asOfMs, runsEndMs, timeZone }
  const document = {
    ...origin,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(settings === undefined ? {} : { settings }),
    subtitle,
    sections: framed(sections, provenance),
  }
  const warnings = more.flatMap((block) =>
    block.kind === 'note' && block.mistake === true ? [block.text] : [],
  )
  const settled = !built.some(isUnsettled)
  return { document, moment, coverage, settled, warnings, periods, timeZone }
}

function unreadOf(coverage: readonly StreamCoverage[]): Window[] {
  return coverage.flatMap(({ missing, optional }) => (optional ? [] : missing))
}

function isUnsettled({ blocks }: Section): boolean {
  return blocks.some((block) => block.kind === 'note' && block.unsettled === true)
}

function readAsOf<S extends Stream>(
  { report, account }: ReadyRequest,
  moment: moments.Moment,
  stream: S,
): Relation<ReportRow<S>> {
  if (isUnread(report, moment, stream)) return noRows(stream)
  return rowsAsOf(stream, account, moments.sourceOf(moment, stream))
}

function versionsOf<S extends Stream>(
  { report, account }: ReadyRequest,
  moment: moments.Moment,
  stream: S,
): Relation<Version<S>> {
  if (isUnread(report, moment, stream)) return noVersions(stream)
  return versionsAsOf(stream, account, moments.sourceOf(moment, stream))
}

/** An optional stream that nobody ever read. */
function isUnread({ optional }: Report, moment: moments.Moment, stream: Stream): boolean {
  const known = moment.has(moments.fetchedStream(stream).name)
  return !known && optional?.includes(stream) === true
}

/** The optional streams that nobody ever read, where the provenance is to tell of them. */
function unreadStreams({ needs, optional = [] }: Report, moment: moments.Moment): string[] {
  if (needs.length === 0) return []
  return optional.map(moments.fetchedStream).flatMap(({ name }) => (moment.has(name) ? [] : [name]))
}

/**
 * Reports read whole tables. A table that was just loaded has no statistics yet, and a nested loop over
 * 8,000 numbers, chosen because two were expected, took 12 s instead of 0.1 s. Without the memory to hash
 * some ten thousand groups a million rows are sorted on disk first, which takes three times as long. And a
 * window's rows lie together, as they were written: a month is read by its index, not with its neighbours.
 */
async function planForWholeTables(tx: Transaction): Promise<void> {
  await tx
    .selectNoFrom(({ fn, val, lit }) =>
      Object.entries(FOR_WHOLE_TABLES).map(([name, value]) =>
        fn('set_config', [val(name), val(value), lit(true)]).as(name),
      ),
    )
    .execute()
}

const FOR_WHOLE_TABLES = {
  enable_nestloop: 'off',
  jit: 'off',
  work_mem: '64MB',
  random_page_cost: '1.1',
  cursor_tuple_fraction: '1',
}

/** Period and zone stand in the provenance anyway. */
export function otherParams(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !OF_PERIOD.has(name)))
}

const OF_PERIOD: ReadonlySet<string> = new Set(['month', 'day', 'from', 'to', 'timezone'])
