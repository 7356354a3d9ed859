import type { Job } from '../core/define/job.ts'
import type { Owner } from '../core/define/owner.ts'
import type { Note, Report, ReportContext } from '../core/define/report.ts'
import type { ReportPeriods } from '../core/define/report-period.ts'
import { fetchedStream, type Stream } from '../core/define/stream.ts'
import { lowWithin } from '../core/records/low-text.ts'
import { lowStretches } from '../core/records/low-volume.ts'
import type { Window } from '../core/time/spans.ts'
import { openDisputes } from '../evidence/disputes.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { daysOfStreams } from '../warehouse/load/daily-counts.ts'
import { cutContext, ownerlessNotes, placeOfOwner } from './cut-by-owner.ts'
import { keepRows } from './keep-rows.ts'
import { readCoverage, type StreamCoverage } from './report-coverage.ts'
import * as moments from './report-moment.ts'
import { goneAsOf, rowsAsOf, versionsAsOf } from './report-rows.ts'
import { isWhollyCovered, verdictOf } from './report-verdict.ts'
import { checkLedgerCovers, type MomentRequest, requestedMoments } from './requested-moments.ts'

/** A report to be made, with parsed parameters. */
export interface ReadyRequest extends MomentRequest {
  params: Record<string, unknown>
  /** The report's settings from the configuration; default: the report's own. */
  settings?: Readonly<Record<string, unknown>> | undefined
  /** The account's owners. The parameter `owner` names the one whose rows alone the report shows. */
  owners?: readonly Owner[] | undefined
  /** All jobs, so that a report can name the job that reads a stream. */
  jobs?: readonly Pick<Job, 'name' | 'streams'>[] | undefined
}

/** The tables that a report reads, the runs as of which it reads them, and its coverage. */
export interface OpenedContext {
  context: ReportContext<Record<string, unknown>, Stream, Record<string, unknown>>
  moment: moments.Moment
  coverage: StreamCoverage[]
  /** Notes on the number of rows that belong to no owner; no owner's cut shows these rows. */
  ownerless: readonly Note[]
}

/** Opens the tables for a report, as of the requested moment, and reads their coverage. */
export async function openReportContext(
  tx: Transaction,
  request: ReadyRequest,
): Promise<OpenedContext> {
  const { report, account, params, timeZone, sinceMs, owners = [], jobs = [] } = request
  const at = placeOfOwner(report, owners, params.owner)
  const { moment, previous } = await requestedMoments(tx, request)
  const asOfMs = await moments.asOfMs(tx, request, moment)
  const periods = report.periods(params, { asOfMs, timeZone })
  await checkLedgerCovers(tx, request, periods)
  const disputes = openDisputes(tx, account)
  const cover = async (period: ReportPeriods['period'] | undefined) => {
    const read = await readCoverage(tx, { account, moment, disputes }, { report, period })
    return at === undefined ? read : read.map(withoutCounts)
  }
  const coverage = await cover(periods?.period)
  const beforeCovered = periods && isWhollyCovered(await cover(periods.before))
  const days = await daysOfStreams(tx, { account, endedByMs: asOfMs })
  const runOf = (stream: Stream, from = moment) => runAsOf(report, from, stream)
  const read =
    (from: moments.Moment) =>
    <S extends Stream>(stream: S) =>
      rowsAsOf(stream, account, runOf(stream, from))
  const previousAsOfMs =
    previous && (await moments.asOfMs(tx, { account, report, endedByMs: sinceMs }, previous))
  const whole: OpenedContext['context'] = {
    db: tx,
    account,
    rows: read(moment),
    goneRows: (stream) => goneAsOf(stream, account, runOf(stream)),
    versions: (stream) => versionsAsOf(stream, account, runOf(stream)),
    runId: (stream) => runOf(stream)?.id,
    previousRows: previous === undefined ? undefined : read(previous),
    since: sinceMs !== undefined,
    jobOf: ({ name }) => jobs.find(({ streams }) => streams.some((one) => one.name === name))?.name,
    keep: (name, query) => keepRows(tx, name, query),
    params,
    owner: undefined,
    settings: report.settings?.parse(request.settings ?? {}) ?? {},
    timeZone,
    periods,
    coverage: {
      whole: isWhollyCovered(coverage),
      verdict: verdictOf({ coverage, periods, timeZone, asOfMs }),
      unread: unreadOf(coverage),
      disputed: disputedOf(coverage),
    },
    beforeCovered: beforeCovered === true,
    low: lowWithin(lowStretches(days), periods?.period),
    coveredIn: async (stretch) => isWhollyCovered(await cover({ ...stretch, label: '' })),
    unreadIn: async (stretch) => unreadOf(await cover({ ...stretch, label: '' })),
    asOfMs,
    previousAsOfMs,
  }
  const context = at === undefined ? whole : await cutContext(whole, { report, owners, at })
  const ownerless = at === undefined ? await ownerlessNotes(whole, report, owners) : []
  return { context, moment, coverage, ownerless }
}

/** Makes texts about low volume leave out their counts, because those are of the whole account. */
function withoutCounts({ low = [], ...coverage }: StreamCoverage): StreamCoverage {
  return { ...coverage, low: low.map((one) => ({ ...one, countless: true })) }
}

function disputedOf(coverage: readonly StreamCoverage[]): string[] {
  return coverage.flatMap(({ stream, disputed }) => (disputed === undefined ? [] : [stream]))
}

function unreadOf(coverage: readonly StreamCoverage[]): Window[] {
  return coverage.flatMap(({ missing, optional }) => (optional ? [] : missing))
}

/** Returns the run that fixes the state of a stream; undefined for an optional stream that was never read. */
function runAsOf({ optional }: Report, moment: moments.Moment, stream: Stream) {
  const run = moment.get(fetchedStream(stream).name)
  if (run === undefined && optional?.includes(stream) === true) return undefined
  return moments.sourceOf(moment, stream)
}
