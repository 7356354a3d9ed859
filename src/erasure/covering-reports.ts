import type { Report } from '../core/define/report.ts'
import type { Stream } from '../core/define/stream.ts'
import type { Window } from '../core/time/spans.ts'
import { DAY_MS } from '../core/time/time.ts'
import { LAKE_EXPORT } from '../report/lake/lake-records.ts'
import type { PublishedRow } from '../report/published-reports.ts'

/** Rows that were deleted, redacted or rewritten. */
export interface TouchedRows {
  /** Undefined for rows of the ledger of slices. */
  stream: string | undefined
  /** The starts of the rows' UTC days in epoch milliseconds; undefined if a row's time is unknown. */
  days: readonly number[] | undefined
  /** When the first of the rows was stored. */
  sinceMs: number
}

/** `unsure`: the report is older than the touched ledger entries, and may come from deleted entries. */
export type Covering = 'covers' | 'unsure' | 'none'

/** Derives the facts about touched rows from their JSON. */
export function touchedOf(stream: Stream, rows: readonly string[]): TouchedRows {
  const read = rows.map((row) => JSON.parse(row) as Record<string, unknown>)
  const seen = read.map((row) => msOf(row['_first_seen_at']) ?? -Infinity)
  return {
    stream: stream.name,
    days: daysOf(stream, read),
    sinceMs: seen.reduce((a, b) => Math.min(a, b), Infinity),
  }
}

/**
 * Decides whether a publication covers the rows: by its report's streams, by the time of publication and, if
 * the report declares how far it looks back, by its period. A table export covers one stream. A bundle, or
 * another publication whose report is unknown, counts as covering all streams.
 */
export function covering(
  reports: readonly Report[],
  row: Pick<PublishedRow, 'report' | 'params' | 'asked' | 'asOfMs' | 'publishedMs'>,
  touched: TouchedRows,
): Covering {
  const report = reports.find(({ name }) => name === row.report)
  if (touched.stream === undefined) {
    if (report === undefined || report.needs.length > 0) return 'none'
    return row.publishedMs < touched.sinceMs ? 'unsure' : 'covers'
  }
  if (row.publishedMs < touched.sinceMs || !reads(report, row, touched.stream)) return 'none'
  const span = spanOf(report, row)
  if (span === undefined || touched.days === undefined) return 'covers'
  return touched.days.some((day) => span.fromMs < day + DAY_MS && day < span.toMs)
    ? 'covers'
    : 'none'
}

function reads(
  report: Report | undefined,
  { report: name, params }: Pick<PublishedRow, 'report' | 'params'>,
  stream: string,
): boolean {
  if (report !== undefined) return readsStream(report, stream)
  return (name !== 'table-export' && name !== LAKE_EXPORT) || params.stream === stream
}

export function readsStream({ needs, optional = [] }: Report, stream: string): boolean {
  return needs.length > 0 && [...needs, ...optional].some((one) => one.name === stream)
}

/** Returns the time span of the rows that a publication may show; undefined for any time. */
function spanOf(
  report: Report | undefined,
  { params, asked, asOfMs }: Pick<PublishedRow, 'params' | 'asked' | 'asOfMs'>,
): Window | undefined {
  if (report?.looksBackDays === undefined) return undefined
  try {
    const periods = report.periods(params, { asOfMs, timeZone: asked.timeZone ?? 'UTC' })
    if (periods === undefined) return undefined
    const { fromMs, toMs } = periods.period
    return { fromMs: fromMs - report.looksBackDays * DAY_MS, toMs }
  } catch {
    // The report no longer accepts these parameters.
    return undefined
  }
}

function daysOf(
  { sync }: Stream,
  rows: readonly Readonly<Record<string, unknown>>[],
): number[] | undefined {
  if (sync.kind !== 'windows') return undefined
  const days = new Set<number>()
  for (const row of rows) {
    const ms = msOf(row[sync.cursor])
    if (ms === undefined) return undefined
    days.add(ms - (ms % DAY_MS))
  }
  return [...days]
}

function msOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
