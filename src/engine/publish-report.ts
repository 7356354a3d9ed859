import { resolve } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { point } from '../core/point.ts'
import type { Report, ReportContext, ReportDocument, ReportPeriods } from '../core/report.ts'
import type { Stream } from '../core/stream.ts'
import { checkTimeZone, zonedInstant } from '../core/zone.ts'
import type { Transaction, Warehouse } from '../warehouse/connect.ts'
import { erasuresSoFar, noneErasedSince } from '../warehouse/erasure-locks.ts'
import { endKeeping, keepRows } from '../warehouse/keep-rows.ts'
import { renderFormats, type ReportFormat, slug } from './render-formats.ts'

import { readCoverage, type StreamCoverage } from './report-coverage.ts'
import { coverSection, isWhole, verdictOf } from './report-cover.ts'
import { previousMoment } from './previous-moment.ts'
import { makeReportDirectory, reportFileError, withdrawn } from './report-directory.ts'
import * as moments from './report-moment.ts'
import { readParams } from './report-params.ts'
import { goneAsOf, noRows, rowsAsOf } from './report-rows.ts'
import { subtitleOf } from './report-subtitle.ts'
import type { PlacedFile } from './put-in-place.ts'
import { discard, emptyStaging, placeAll } from './report-staging.ts'
import { scopeSuffix } from './scope-suffix.ts'

export interface PublishRequest {
  report: Report
  account: string
  /** As given on the command line; the report's schema reads them. */
  params: Readonly<Record<string, unknown>>
  /** The zone of the configuration; a parameter `timezone` goes before it. */
  timeZone: string
  /** Made if it is not there. Files of ours of the same names are replaced, each in one step. */
  directory: string
  formats: readonly ReportFormat[]
}

export interface PublishedReport {
  files: readonly PlacedFile[]
  asOfMs: number
  runIds: readonly number[]
  /** Whether every needed stream, and all of the period, was read; the cover is red where not. */
  covered: boolean
  coverage: readonly StreamCoverage[]
  /** That a parameter names nobody, or no board, that is known; the cover says it too. */
  warnings: readonly string[]
}

/**
 * Makes a report from one unchanging state of the data, as of the last complete runs, and records
 * it. The files take their names together, after all of them are written; the same runs and
 * parameters give the same bytes.
 */
export async function publishReport(
  { warehouse }: { warehouse: Pick<Warehouse, 'transaction'> },
  request: PublishRequest,
): Promise<PublishedReport> {
  const params = readParams(request)
  const timeZone = checkTimeZone(zoneOf(params) ?? request.timeZone)
  await makeReportDirectory(request.directory)
  let staging: string | undefined
  try {
    const made = await warehouse.transaction(
      async (tx) => {
        const mark = await erasuresSoFar(tx, request.account)
        const prepared = await prepare(tx, { ...request, params, timeZone })
        const name = fileName({ ...request, params, timeZone }, prepared)
        staging = await emptyStaging(request.directory, name)
        await point('report:staged')
        const target = { directory: staging, name, formats: request.formats }
        const names = await renderFormats(prepared.document, target).catch((error: unknown) => {
          // Said here, or the transaction around it would take the error for the database's.
          throw reportFileError(error, request.directory)
        })
        return { ...prepared, staging, names, mark }
      },
      { snapshot: true, keeps: true },
    )
    // Whoever reads the record may work in another folder.
    const place = { ...made, directory: resolve(request.directory) }
    const files = await placeAll({ warehouse, account: request.account }, place)
    const published: PublishedReport = {
      files,
      asOfMs: made.document.asOfMs,
      runIds: moments.runIds(made.moment),
      covered: isWhole(made.coverage),
      coverage: made.coverage,
      warnings: made.warnings,
    }
    await point('report:recording')
    const { mark } = made
    if (!(await warehouse.transaction((tx) => record(tx, { request, params, published, mark }))))
      throw await withdrawn(files)
    await point('report:recorded')
    return published
  } catch (error) {
    throw reportFileError(error, request.directory)
  } finally {
    if (staging !== undefined) await discard(staging)
  }
}

interface Prepared {
  document: ReportDocument
  moment: moments.Moment
  coverage: StreamCoverage[]
  warnings: string[]
  periods: ReportPeriods | undefined
  timeZone: string
}

type ReadyRequest = PublishRequest & { params: Record<string, unknown>; timeZone: string }

async function prepare(tx: Transaction, request: ReadyRequest): Promise<Prepared> {
  const { report, account, params, timeZone } = request
  await planForWholeTables(tx)
  const moment = await moments.readMoment(tx, account, report)
  const asOfMs = moments.asOfMs(moment, report)
  const periods = report.periods(params, { asOfMs, timeZone })
  const previous = await previousMoment(tx, { account, report }, moment)
  const cover = (period: ReportPeriods['period'] | undefined) =>
    readCoverage(tx, { account, moment }, { report, period })
  const coverage = await cover(periods?.period)
  const beforeCovered = periods === undefined ? undefined : isWhole(await cover(periods.before))
  const read = (from: moments.Moment) => (stream: Stream) => readAsOf(request, from, stream)
  const previousAsOfMs = previous === undefined ? undefined : moments.asOfMs(previous, report)
  const runId = (stream: Stream) => moment.get(moments.fetchedStream(stream).name)?.id
  const context: ReportContext<Record<string, unknown>> = {
    db: tx,
    account,
    rows: read(moment),
    goneRows: (stream) => goneAsOf(stream, account, runId(stream) ?? 0),
    runId,
    previousRows: previous === undefined ? undefined : read(previous),
    keep: (name, query) => keepRows(tx, name, query),
    params,
    timeZone,
    periods,
    coverage: {
      whole: isWhole(coverage),
      verdict: verdictOf({ coverage, periods, timeZone }),
      unread: coverage.flatMap(({ missing, optional }) => (optional ? [] : missing)),
    },
    beforeCovered: beforeCovered === true,
    asOfMs,
    previousAsOfMs,
  }
  const built = await report.build(context)
  await endKeeping(tx)
  const more = built.filter((section) => section.cover === true).flatMap(({ blocks }) => blocks)
  const sections = built.filter((section) => section.cover !== true)
  const facts = { account, timeZone, asOfMs, periods, coverage, beforeCovered, previousAsOfMs }
  const unread = unreadStreams(report, moment)
  const only = otherParams(params)
  const first = coverSection({ ...facts, unread, params: only, more })
  const subtitle = subtitleOf({ account, asOfMs, periods, timeZone, only })
  const runsEndMs = moments.endMs(moment)
  const origin = { title: report.title, report: report.name, account, asOfMs, runsEndMs }
  const document = { ...origin, subtitle, sections: [first, ...sections] }
  const warnings = more.flatMap((block) =>
    block.kind === 'note' && block.mistake === true ? [block.text] : [],
  )
  return { document, moment, coverage, warnings, periods, timeZone }
}

function readAsOf(
  { report, account }: ReadyRequest,
  moment: moments.Moment,
  stream: Stream,
): RawBuilder<unknown> {
  const known = moment.has(moments.fetchedStream(stream).name)
  if (!known && report.optional?.includes(stream) === true) return noRows(stream)
  return rowsAsOf(stream, account, moments.sourceOf(moment, stream))
}

/** The optional streams that nobody ever read. */
function unreadStreams({ optional = [] }: Report, moment: moments.Moment): string[] {
  return optional.map(moments.fetchedStream).flatMap(({ name }) => (moment.has(name) ? [] : [name]))
}

/**
 * Reports read whole tables. A table that was just loaded has no statistics yet, and a nested loop over
 * 8,000 numbers, chosen because two were expected, took 12 s instead of 0.1 s. Without the memory to hash
 * some ten thousand groups a million rows are sorted on disk first, which takes three times as long. And a
 * window's rows lie together, as they were written: a month is read by its index, not with its neighbours.
 */
async function planForWholeTables(tx: Transaction): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(tx)
  await sql`set local jit = off`.execute(tx)
  await sql`set local work_mem = '64MB'`.execute(tx)
  await sql`set local random_page_cost = 1.1`.execute(tx)
  await sql`set local cursor_tuple_fraction = 1`.execute(tx)
}

/** Period and zone stand on the cover anyway. */
function otherParams(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !OF_PERIOD.has(name)))
}

const OF_PERIOD: ReadonlySet<string> = new Set(['month', 'from', 'to', 'timezone'])

function fileName({ account, report, params }: ReadyRequest, prepared: Prepared): string {
  const { periods, document, timeZone } = prepared
  const day = zonedInstant(document.asOfMs, timeZone).slice(0, 10)
  const name = `${slug(account)}-${report.name}-${slug(periods?.period.label ?? day)}`
  return `${name}${scopeSuffix(otherParams(params))}`
}

/** False where somebody was erased since the data was read: then nothing is entered. */
async function record(
  tx: Transaction,
  made: {
    request: PublishRequest
    params: Record<string, unknown>
    published: PublishedReport
    mark: string
  },
): Promise<boolean> {
  const { request, params, published, mark } = made
  if (!(await noneErasedSince(tx, request.account, mark))) return false
  await sql`
    insert into callsheet.published_reports
      (account, report, params, as_of, run_ids, published_at, files)
    values (${request.account}, ${request.report.name}, ${JSON.stringify(params)}::jsonb,
      ${new Date(published.asOfMs).toISOString()}::timestamptz,
      ${[...published.runIds]}::bigint[], callsheet.clock(),
      ${JSON.stringify(published.files)}::jsonb)`.execute(tx)
  return true
}

function zoneOf({ timezone }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof timezone === 'string' ? timezone : undefined
}
