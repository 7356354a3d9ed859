import type { Report } from '../core/define/report.ts'
import type { Stream } from '../core/define/stream.ts'
import type { Window } from '../core/time/spans.ts'
import { DAY_MS } from '../core/time/time.ts'
import type { PublishedRow } from '../report/published-reports.ts'

/** Rows that an erasure took out of a table, or changed. */
export interface TouchedRows {
  /** Undefined where they are of our own ledger of what was read. */
  stream: string | undefined
  /** Of which time they are, where the table has a time of its own. */
  times: Window | undefined
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
    times: timesOf(stream, read),
    sinceMs: seen.reduce((a, b) => Math.min(a, b), Infinity),
  }
}

/**
 * Whether a publication tells of such rows: by its report's streams, its period and when it was published.
 * One of a report that is not known any more, or whose period cannot be told, covers them all.
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
  const period = periodOf(report, row)
  if (period === undefined || touched.times === undefined) return 'covers'
  const { fromMs, toMs } = touched.times
  const apart = toMs < period.fromMs - AROUND_MS || fromMs > period.toMs + AROUND_MS
  return apart ? 'none' : 'covers'
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

/** With the period before, which it compares with. */
function periodOf(
  report: Report | undefined,
  { params, asked, asOfMs }: Pick<PublishedRow, 'params' | 'asked' | 'asOfMs'>,
): Window | undefined {
  if (report === undefined) {
    const [fromMs, toMs] = [msOf(params.from), msOf(params.to)]
    return fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs }
  }
  try {
    const periods = report.periods(params, { asOfMs, timeZone: asked.timeZone ?? 'UTC' })
    return periods && { fromMs: periods.before.fromMs, toMs: periods.period.toMs }
  } catch {
    // Its parameters are not what the report takes today.
    return undefined
  }
}

function timesOf(
  { sync }: Stream,
  rows: readonly Readonly<Record<string, unknown>>[],
): Window | undefined {
  if (sync.kind !== 'windows') return undefined
  const times = rows.map((row) => msOf(row[sync.cursor]))
  const known = times.filter((ms) => ms !== undefined)
  if (known.length < times.length) return undefined
  return {
    fromMs: known.reduce((a, b) => Math.min(a, b), Infinity),
    toMs: known.reduce((a, b) => Math.max(a, b), -Infinity),
  }
}

function msOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** A session that began before a period may go on in it. */
const AROUND_MS = 7 * DAY_MS
