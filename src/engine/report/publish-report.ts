import { resolve } from 'node:path'
import type { Report } from '../../core/declare/report.ts'
import { point } from '../../core/kill-point.ts'
import { checkTimeZone, zonedInstant } from '../../core/time/zone.ts'
import type { ReportFormat } from '../../core/values/report-format.ts'
import { slug } from '../../render/slug.ts'
import type { Transaction, Warehouse } from '../../warehouse/connection/connect.ts'
import { now } from '../../warehouse/connection/expressions.ts'
import { erasuresSoFar, noneErasedSince } from '../../warehouse/erasure/erasure-locks.ts'
import { fileMetadata } from './file-metadata.ts'
import type { ReadyRequest } from './open-context.ts'
import { otherParams, type Prepared, prepareReport } from './prepare-report.ts'
import type { PlacedFile } from './put-in-place.ts'
import { renderFormats } from './render-formats.ts'
import type { StreamCoverage } from './report-coverage.ts'
import { makeReportDirectory, reportFileError, withdrawn } from './report-directory.ts'
import * as moments from './report-moment.ts'
import { momentSuffix, scopeSuffix } from './report-name-suffix.ts'
import { readParams } from './report-params.ts'
import { discard, emptyStaging, placeAll } from './report-staging.ts'
import { isWhole } from './report-verdict.ts'

export interface PublishRequest extends Pick<ReadyRequest, 'settings' | 'endedByMs' | 'sinceMs'> {
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
  /** Whether every needed stream, and all of the period, was read, and the report is settled. */
  covered: boolean
  /** Whether nothing that it tells of is open, such as a day that does not balance. */
  settled: boolean
  coverage: readonly StreamCoverage[]
  /** That a parameter names nobody, or no board, that is known; the provenance says it too. */
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
        const prepared = await prepareReport(tx, { ...request, params, timeZone })
        const name = fileName({ ...request, params }, prepared)
        staging = await emptyStaging(request.directory, name)
        await point('report:staged')
        const metadata = fileMetadata(prepared)
        const target = { directory: staging, name, formats: request.formats, metadata }
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
      covered: isWhole(made.coverage) && made.settled,
      settled: made.settled,
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

function fileName(
  { account, report, params, endedByMs, sinceMs }: Omit<ReadyRequest, 'timeZone'>,
  prepared: Prepared,
): string {
  const { periods, document, timeZone } = prepared
  const day = zonedInstant(document.asOfMs, timeZone).slice(0, 10)
  const name = `${slug(account)}-${report.name}-${slug(periods?.period.label ?? day)}`
  const of = scopeSuffix(otherParams(params))
  return `${name}${of}${momentSuffix({ endedByMs, sinceMs }, timeZone)}`
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
  await tx
    .insertInto('callsheet.published_reports')
    .values({
      account: request.account,
      report: request.report.name,
      params: JSON.stringify(params),
      as_of: new Date(published.asOfMs).toISOString(),
      run_ids: [...published.runIds],
      published_at: now,
      files: JSON.stringify(published.files),
    })
    .execute()
  return true
}

function zoneOf({ timezone }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof timezone === 'string' ? timezone : undefined
}
