import type { Report, ReportContext, ReportPeriods } from '../core/define/report.ts'
import { fetchedStream, type Stream } from '../core/define/stream.ts'
import type { Relation, ReportRow, Version } from '../core/define/stream-row.ts'
import { lowWithin } from '../core/records/low-text.ts'
import { lowStretches } from '../core/records/low-volume.ts'
import type { Window } from '../core/time/spans.ts'
import { openDisputes } from '../evidence/disputes.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { daysOfStreams } from '../warehouse/load/daily-counts.ts'
import { keepRows } from './keep-rows.ts'
import { type AskedMoments, momentsAsked, refuseUnkept } from './moments-asked.ts'
import { readCoverage, type StreamCoverage } from './report-coverage.ts'
import * as moments from './report-moment.ts'
import { goneAsOf, noRows, noVersions, rowsAsOf, versionsAsOf } from './report-rows.ts'
import { isWhole, verdictOf } from './report-verdict.ts'

/** A report that is to be made, its parameters read. */
export interface ReadyRequest extends AskedMoments {
  params: Record<string, unknown>
  /** What the configuration says for the report; the report's defaults if not given. */
  settings?: Readonly<Record<string, unknown>> | undefined
}

/** What a report reads, as of which runs, and how far it was read. */
export interface OpenedContext {
  context: ReportContext<Record<string, unknown>, Stream, Record<string, unknown>>
  moment: moments.Moment
  coverage: StreamCoverage[]
  /** What the configuration says, where the report takes settings. */
  settings: Record<string, unknown> | undefined
}

/** Opens the tables of the transaction for a report. */
export async function openContext(tx: Transaction, request: ReadyRequest): Promise<OpenedContext> {
  const { report, account, params, timeZone, sinceMs } = request
  const { moment, previous } = await momentsAsked(tx, request)
  const asOfMs = await moments.asOfMs(tx, request, moment)
  const periods = report.periods(params, { asOfMs, timeZone })
  await refuseUnkept(tx, request, periods)
  const disputes = openDisputes(tx, account)
  const cover = (period: ReportPeriods['period'] | undefined) =>
    readCoverage(tx, { account, moment, disputes }, { report, period })
  const coverage = await cover(periods?.period)
  const beforeCovered = periods === undefined ? undefined : isWhole(await cover(periods.before))
  const days = await daysOfStreams(tx, { account, endedByMs: asOfMs })
  const read =
    (from: moments.Moment) =>
    <S extends Stream>(stream: S) =>
      readAsOf(request, from, stream)
  const settings = report.settings?.parse(request.settings ?? {})
  const previousAsOfMs =
    previous && (await moments.asOfMs(tx, { account, report, endedByMs: sinceMs }, previous))
  const runId = (stream: Stream) => moment.get(fetchedStream(stream).name)?.id
  const context: ReportContext<Record<string, unknown>, Stream, Record<string, unknown>> = {
    db: tx,
    account,
    rows: read(moment),
    goneRows: (stream) => goneAsOf(stream, account, moment.get(fetchedStream(stream).name)),
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
      disputed: coverage.flatMap(({ stream, disputed }) =>
        disputed === undefined ? [] : [stream],
      ),
    },
    beforeCovered: beforeCovered === true,
    low: lowWithin(lowStretches(days), periods?.period),
    unreadIn: async (stretch) => unreadOf(await cover({ ...stretch, label: '' })),
    asOfMs,
    previousAsOfMs,
  }
  return { context, moment, coverage, settings }
}

function unreadOf(coverage: readonly StreamCoverage[]): Window[] {
  return coverage.flatMap(({ missing, optional }) => (optional ? [] : missing))
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
  const known = moment.has(fetchedStream(stream).name)
  return !known && optional?.includes(stream) === true
}
