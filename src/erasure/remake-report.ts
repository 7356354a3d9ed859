import { dirname, extname } from 'node:path'
import type { Owner } from '../core/define/owner.ts'
import type { Report } from '../core/define/report.ts'
import { REPORT_FORMATS, type TableFormat } from '../core/define/report-format.ts'
import { settingsOf } from '../core/define/settings-of.ts'
import type { Stream } from '../core/define/stream.ts'
import { CallsheetError } from '../core/errors.ts'
import { exportTable } from '../report/export-table.ts'
import type { Printer } from '../report/pdf/printer.ts'
import { type FormatNotMade, type PublishRequest, publishReport } from '../report/publish-report.ts'
import type { PublishedRow } from '../report/published-reports.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import type { Doubts } from './withdrawing.ts'

/** The dependencies for publishing reports again. */
export interface RemakeDeps {
  warehouse: Pick<Warehouse, 'transaction'>
  streams: readonly Stream[]
  reports: {
    all: readonly Report[]
    /** Settings from the configuration, by report. */
    settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    owners?: readonly Owner[]
    jobs?: PublishRequest['jobs']
    timeZone: string
    /** Makes the format `pdf`. */
    printer: Printer
  }
}

/**
 * Publishes a report again in its folder, from the present tables, at these paths. Returns the files that
 * cannot be made, with the reason.
 */
export async function remakeReport(
  deps: RemakeDeps,
  { account, row, paths }: { account: string; row: PublishedRow; paths: readonly string[] },
): Promise<Doubts> {
  const byFolder = Map.groupBy(paths, (path) => dirname(path))
  const doubts: Doubts = []
  for (const [directory, own] of byFolder) {
    const endings = new Set(own.map((path) => extname(path).slice(1)))
    const left = await remakeIn(deps, { account, row, directory, endings })
    // A report that cannot be made at all has one reason, which is given for its first file.
    if (typeof left === 'string') return [{ file: paths[0] ?? '', why: `${NOT_ANEW}: ${left}` }]
    for (const { format, came } of left)
      for (const file of own.filter((path) => extname(path) === `.${format}`))
        doubts.push({ file, why: `${NOT_ANEW}: ${came}` })
  }
  return doubts
}

/** Returns the formats that could not be made, or why nothing can be made. */
async function remakeIn(
  deps: RemakeDeps,
  remade: { account: string; row: PublishedRow; directory: string; endings: ReadonlySet<string> },
): Promise<readonly FormatNotMade[] | string> {
  try {
    return await publishAgain(deps, remade)
  } catch (error) {
    if (!(error instanceof CallsheetError)) throw error
    return error.message
  }
}

async function publishAgain(
  { warehouse, streams, reports: { all, settings, owners, jobs, timeZone, printer } }: RemakeDeps,
  {
    account,
    row: { report: name, params, asked, publishedMs },
    directory,
    endings,
  }: { account: string; row: PublishedRow; directory: string; endings: ReadonlySet<string> },
): Promise<readonly FormatNotMade[] | string> {
  const place = { account, directory, ...asked }
  if (name === 'table-export') {
    const stream = streams.find((one) => one.name === params.stream)
    if (stream === undefined) return 'its table is not known any more'
    const format = params.format as TableFormat
    await exportTable(warehouse, { ...place, stream, format, againMs: publishedMs })
    return []
  }
  const report = all.find((one) => one.name === name)
  if (report === undefined)
    return name === 'audit-export' ? 'export it again' : 'its report is not known any more'
  const formats = REPORT_FORMATS.filter((format) => endings.has(format))
  // Whether the report has a fixed period. Such a report covers the same period now, and may be more
  // complete.
  const ofPeriod = PERIODS.some((param) => params[param] !== undefined)
  const { notMade } = await publishReport(
    { warehouse },
    {
      ...place,
      report,
      params,
      settings: settingsOf(report, settings),
      owners,
      jobs,
      timeZone: asked.timeZone ?? timeZone,
      formats,
      printer,
      ...(ofPeriod ? {} : { againMs: publishedMs }),
    },
  )
  return notMade
}

const NOT_ANEW = 'it was removed, and not made anew'
const PERIODS = ['month', 'day', 'from']
