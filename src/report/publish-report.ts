import { basename, join } from 'node:path'
import type { Block, Report, ReportDocument, Section } from '../core/define/report.ts'
import type { ReportFormat } from '../core/define/report-format.ts'
import { CallsheetError } from '../core/errors.ts'
import { checkTimeZone, zonedInstant } from '../core/time/zone.ts'
import { slug } from '../core/values/slug.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { placeOfOwner } from './cut-by-owner.ts'
import { fileMetadata, tableMetadata } from './file-metadata.ts'
import { formatCell, isNumeric } from './files/browser/format-cell.js'
import { renderCsv } from './files/csv.ts'
import { documentTables } from './files/document-tables.ts'
import { renderParquet } from './files/parquet.ts'
import type { ReadyRequest } from './open-context.ts'
import { renderHtml } from './page/html.ts'
import { renderPdf, writePage } from './pdf/pdf.ts'
import type { Printer } from './pdf/printer.ts'
import { otherParams, type Prepared, prepareReport } from './prepare-report.ts'
import { publishFiles } from './publish-files.ts'
import type { PlacedFile } from './put-in-place.ts'
import type { StreamCoverage } from './report-coverage.ts'
import { reportFileError } from './report-directory.ts'
import * as moments from './report-moment.ts'
import { momentSuffix, scopeSuffix } from './report-name-suffix.ts'
import { readParams } from './report-params.ts'
import { isWhollyCovered, verdictOf } from './report-verdict.ts'
import { renderXlsx } from './xlsx/xlsx.ts'

export interface PublishRequest
  extends Pick<ReadyRequest, 'settings' | 'owners' | 'jobs' | 'endedByMs' | 'sinceMs'> {
  report: Report
  account: string
  /** The parameters as given on the command line; the report's schema parses them. */
  params: Readonly<Record<string, unknown>>
  /** The configured zone; the parameter `timezone` overrides it. */
  timeZone: string
  /**
   * The folder, created if missing. Callsheet's own files with equal names are replaced, each in one step.
   */
  directory: string
  formats: readonly ReportFormat[]
  /** Makes the format `pdf`. Whoever may request that format must pass one. */
  printer?: Printer | undefined
  /** Publishes again as of this instant, replacing the files that were published for it. */
  againMs?: number | undefined
}

export interface PublishedReport {
  files: readonly PlacedFile[]
  asOfMs: number
  runIds: readonly number[]
  /** Whether every needed stream and the whole period was read, and no part of the report is open. */
  covered: boolean
  /** Whether nothing in the report is open, such as a day that does not balance. */
  settled: boolean
  /** The open parts, in the report's own sentences. */
  open: readonly string[]
  coverage: readonly StreamCoverage[]
  /** Requested formats that could not be made. The files of the other formats are unaffected. */
  notMade: readonly FormatNotMade[]
  headline: ReportHeadline
  /** Filters that match no person or no board. The provenance lists them too. */
  warnings: readonly string[]
}

export interface FormatNotMade {
  format: ReportFormat
  /** The reason, without personal data. */
  came: string
  /** What to do about it. */
  todo: string
}

/**
 * Publishes a report from one snapshot of the data and records it. The files get their final names after all
 * of them are written. Equal runs and parameters give equal bytes (a PDF only with the same Chromium).
 */
export async function publishReport(
  { warehouse }: { warehouse: Pick<Warehouse, 'transaction'> },
  request: PublishRequest,
): Promise<PublishedReport> {
  const { account, report, directory, formats } = request
  placeOfOwner(report, request.owners ?? [], request.params.owner)
  const params = readParams(request)
  const timeZone = checkTimeZone(zoneOf(params) ?? request.timeZone)
  const notMade: FormatNotMade[] = []
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
        // Converted here, because the transaction would report it as a database error.
        throw reportFileError(error, directory)
      })
      return { ...prepared, name, names }
    },
    async complete({ name, document: { asOfMs } }, staging) {
      if (!formats.includes('pdf')) return []
      const file = `${name}.pdf`
      const job = { folder: join(staging, PRINT_FOLDER), path: join(staging, file), asOfMs }
      const missing = await printPdf(job, request.printer)
      if (missing !== undefined) notMade.push(missing)
      return missing === undefined ? [file] : []
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
    notMade,
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
  const { owner } = params
  const of = typeof owner === 'string' ? `-of-${slug(owner)}` : scopeSuffix(otherParams(params))
  return `${name}${of}${momentSuffix({ endedByMs, sinceMs }, timeZone)}`
}

function zoneOf({ timezone }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof timezone === 'string' ? timezone : undefined
}

interface Target {
  directory: string
  name: string
  formats: readonly ReportFormat[]
  /** The metadata of the files, for formats that can store it. */
  metadata: Readonly<Record<string, string>>
}

/** Renders the document in each format into `directory`; returns the files' names. */
async function renderFormats(
  document: ReportDocument,
  { directory, name, formats, metadata }: Target,
): Promise<string[]> {
  const files: string[] = []
  const path = (suffix: string): string => {
    files.push(basename(`${name}${suffix}`))
    return join(directory, `${name}${suffix}`)
  }
  if (formats.includes('xlsx')) await renderXlsx(document, path('.xlsx'))
  if (formats.includes('html')) await renderHtml(document, path('.html'))
  if (formats.includes('csv'))
    for (const { part, table } of documentTables(document))
      await renderCsv(table, path(`.${part}.csv`))
  if (formats.includes('parquet'))
    for (const one of documentTables(document)) {
      const facts = { ...metadata, ...tableMetadata(one) }
      await renderParquet(one.table, path(`.${one.part}.parquet`), facts)
    }
  if (formats.includes('pdf')) await writePage(document, join(directory, PRINT_FOLDER))
  return files
}

/** Makes the PDF. Returns the reason if the printer fails with a `CallsheetError`; throws other errors. */
async function printPdf(
  job: Parameters<typeof renderPdf>[0],
  printer: Printer | undefined,
): Promise<FormatNotMade | undefined> {
  if (printer === undefined) throw new Error('the format pdf needs a printer')
  try {
    await renderPdf(job, printer)
    return undefined
  } catch (error) {
    if (!(error instanceof CallsheetError)) throw error
    const { came, todo = 'create the report again' } = error.facts
    return { format: 'pdf', came, todo }
  }
}

/**
 * A report's summary for a message. The recipient decides by it whether to open the report. It names no
 * person.
 */
interface ReportHeadline {
  title: string
  /** The report's period, or the day of its moment. */
  period: string
  /** Its headline notes or else its first figures, as sentences. */
  figures: readonly string[]
  /** Why the report is incomplete; empty if it is complete. */
  lacks: readonly string[]
}

function headlineOf(prepared: Prepared): ReportHeadline {
  const { document, coverage, periods, timeZone, open } = prepared
  const { title, asOfMs, sections } = document
  const verdict = verdictOf({ coverage, periods, timeZone, asOfMs })
  return {
    title,
    period: periods?.period.label ?? dayText(zonedInstant(asOfMs, timeZone)),
    figures: figuresOf(sections[0]),
    lacks: [...(isWhollyCovered(coverage) ? [] : [verdict.text]), ...open],
  }
}

/** Returns the headline notes or, without any, the numeric figures: other text may name a person. */
function figuresOf(first: Section | undefined): string[] {
  const blocks: readonly Block[] = first?.blocks ?? []
  const said = blocks.flatMap((block) =>
    block.kind === 'note' && block.headline === true ? [block.text] : [],
  )
  if (said.length > 0) return said
  const figures = blocks.flatMap((block) => (block.kind === 'figures' ? block.figures : []))
  return figures
    .filter(({ value, format }) => typeof value === 'number' && isNumeric(format))
    .slice(0, MOST_FIGURES)
    .map(({ label, value, format }) => {
      const text = formatCell(value, format).replaceAll('\u00a0', ' ')
      return `${label}: ${text}.`
    })
}

function dayText(instant: string): string {
  const day = new Date(`${instant.slice(0, 10)}T00:00:00Z`)
  return new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(day)
}

const MOST_FIGURES = 4
/** No report's file has this name. */
const PRINT_FOLDER = '.print'
