import type { Report } from '../core/define/report.ts'
import type { ReportFormat } from '../core/define/report-format.ts'
import { checkTimeZone, zonedInstant } from '../core/time/zone.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { fileMetadata } from './file-metadata.ts'
import { slug } from './files/slug.ts'
import type { ReadyRequest } from './open-context.ts'
import { otherParams, type Prepared, prepareReport } from './prepare-report.ts'
import { publishFiles } from './publish-files.ts'
import type { PlacedFile } from './put-in-place.ts'
import { renderFormats } from './render-formats.ts'
import type { StreamCoverage } from './report-coverage.ts'
import { reportFileError } from './report-directory.ts'
import { headlineOf, type ReportHeadline } from './report-headline.ts'
import * as moments from './report-moment.ts'
import { momentSuffix, scopeSuffix } from './report-name-suffix.ts'
import { readParams } from './report-params.ts'
import { isWhollyCovered } from './report-verdict.ts'

export interface PublishRequest extends Pick<ReadyRequest, 'settings' | 'endedByMs' | 'sinceMs'> {
  report: Report
  account: string
  /** As given on the command line; the report's schema parses them. */
  params: Readonly<Record<string, unknown>>
  /** The configured zone; the parameter `timezone` overrides it. */
  timeZone: string
  /** Created if missing. Our files of the same names are replaced, each in one step. */
  directory: string
  formats: readonly ReportFormat[]
  /** Publishes again as of then, replacing what was published then. */
  againMs?: number | undefined
}

export interface PublishedReport {
  files: readonly PlacedFile[]
  asOfMs: number
  runIds: readonly number[]
  /** Whether every needed stream and the whole period was read, and the report is settled. */
  covered: boolean
  /** Whether nothing in it is open, such as a day that does not balance. */
  settled: boolean
  /** What is open, in the report's own sentences. */
  open: readonly string[]
  coverage: readonly StreamCoverage[]
  headline: ReportHeadline
  /** Filters that match nobody, or no board; the provenance has them too. */
  warnings: readonly string[]
}

/**
 * Publishes a report from one snapshot, as of the last complete runs, and records it. The files get their
 * names together, after all of them are written; the same runs and parameters give the same bytes.
 */
export async function publishReport(
  { warehouse }: { warehouse: Pick<Warehouse, 'transaction'> },
  request: PublishRequest,
): Promise<PublishedReport> {
  const params = readParams(request)
  const { account, report, directory, formats } = request
  const timeZone = checkTimeZone(zoneOf(params) ?? request.timeZone)
  const { made, files } = await publishFiles(warehouse, {
    account,
    directory,
    async make(tx, stage) {
      const endedByMs = request.endedByMs ?? request.againMs
      const prepared = await prepareReport(tx, { ...request, params, timeZone, endedByMs })
      const name = fileName({ ...request, params }, prepared)
      const metadata = fileMetadata(prepared)
      const target = { directory: await stage(name), name, formats, metadata }
      const names = await renderFormats(prepared.document, target).catch((error: unknown) => {
        // Converted here, because the transaction would take it for a database error.
        throw reportFileError(error, directory)
      })
      return { ...prepared, names }
    },
    entry: ({ document, moment }) => ({
      report: report.name,
      params,
      asked: { timeZone, endedByMs: request.endedByMs, sinceMs: request.sinceMs },
      asOfMs: document.asOfMs,
      runIds: moments.runIds(moment),
    }),
  })
  return {
    files,
    asOfMs: made.document.asOfMs,
    runIds: moments.runIds(made.moment),
    covered: isWhollyCovered(made.coverage) && made.settled,
    settled: made.settled,
    open: made.open,
    coverage: made.coverage,
    headline: headlineOf(made),
    warnings: made.warnings,
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

function zoneOf({ timezone }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof timezone === 'string' ? timezone : undefined
}
