import type { Report } from '../core/define/report.ts'
import type { Stream } from '../core/define/stream.ts'
import type { Window } from '../core/time/spans.ts'
import { DAY_MS } from '../core/time/time.ts'
import type { PublishedRow } from '../report/published-reports.ts'

/** Rows that an erasure took out of a table, or changed. */
export interface TouchedRows {
  /** Undefined where they are of our own ledger of what was read. */
  stream: string | undefined
  /** Of which days they are, each by its start, where the table has a time of its own. */
  days: readonly number[] | undefined
  /** Since when they were there. */
  sinceMs: number
}

/** `unsure`: it tells of what the ledger said then, and nothing that is kept says what that was. */
export type Covering = 'covers' | 'unsure' | 'none'

/** What is known of them by their rows, each as JSON. */
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
 * Whether a publication tells of such rows: by its report's streams, by when it was published and, where the
 * report says how far it looks back, by its period. A bundle, or one of a report that is not known any more,
 * tells of all tables.
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
  const told = toldOf(report, row)
  if (told === undefined || touched.days === undefined) return 'covers'
  return touched.days.some((day) => told.fromMs < day + DAY_MS && day < told.toMs)
    ? 'covers'
    : 'none'
}

function reads(
  report: Report | undefined,
  { report: name, params }: Pick<PublishedRow, 'report' | 'params'>,
  stream: string,
): boolean {
  if (report !== undefined) {
    const { needs, optional = [] } = report
    return needs.length > 0 && [...needs, ...optional].some((one) => one.name === stream)
  }
  return name !== 'table-export' || params.stream === stream
}

/** From when to when the rows may be of which it tells; undefined where they may be of any time. */
function toldOf(
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
    // Its parameters are not what the report takes today.
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
