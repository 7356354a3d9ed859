import { sql } from 'kysely'
import type { Period } from '../core/report.ts'
import type { Stream, Window } from '../core/stream.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { fetchedStream, type Moment, type SourceRun, sourceOf } from './report-moment.ts'

/** What the ledger says of one stream as of the run that the report reads. */
export interface StreamCoverage {
  stream: string
  run: SourceRun
  complete: number
  incomplete: number
  /** The parts of the period that no complete slice owns. */
  missing: readonly Window[]
  /** When the oldest of the slices was read. */
  oldestReadMs: number | undefined
  whole: boolean
}

export async function readCoverage(
  tx: Transaction,
  source: { account: string; moment: Moment },
  { needs, period }: { needs: readonly Stream[]; period: Period | undefined },
): Promise<StreamCoverage[]> {
  const streams = new Map(needs.map(fetchedStream).map((stream) => [stream.name, stream]))
  const coverage: StreamCoverage[] = []
  for (const stream of streams.values()) {
    const run = sourceOf(source.moment, stream)
    const slices = await lastWord(tx, { account: source.account, stream: stream.name, run })
    coverage.push(judge({ stream, run, period }, inPeriod(stream, slices, period)))
  }
  return coverage
}

/** The parts of `period` that none of `windows` holds, in order. */
export function uncovered(period: Window, windows: readonly Window[]): Window[] {
  const missing: Window[] = []
  let fromMs = period.fromMs
  for (const window of windows.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (window.fromMs >= period.toMs) break
    if (window.fromMs > fromMs) missing.push({ fromMs, toMs: window.fromMs })
    fromMs = Math.max(fromMs, window.toMs)
  }
  if (fromMs < period.toMs) missing.push({ fromMs, toMs: period.toMs })
  return missing
}

interface Slice {
  state: string
  owned: Window | undefined
  finishedAtMs: number
}

async function lastWord(
  tx: Transaction,
  { account, stream, run }: { account: string; stream: string; run: SourceRun },
): Promise<Slice[]> {
  const { rows } = await sql<SliceRow>`
    select distinct on (slice) state, owned_from, owned_to, requested_at, finished_at
    from callsheet.slices
    where account = ${account} and stream = ${stream} and run_id <= ${run.id}
    order by slice, run_id desc, finished_at desc`.execute(tx)
  return rows.map((row) => ({
    state: row.state,
    finishedAtMs: Date.parse(row.finished_at),
    owned: owned(row),
  }))
}

interface SliceRow {
  state: string
  owned_from: string | null
  owned_to: string | null
  requested_at: string
  finished_at: string
}

/** A window cannot cover what came after it was asked for. */
function owned({ owned_from, owned_to, requested_at }: SliceRow): Window | undefined {
  if (owned_from === null || owned_to === null) return undefined
  const toMs = Math.min(Date.parse(owned_to), Date.parse(requested_at))
  return { fromMs: Date.parse(owned_from), toMs }
}

/** Of a stream of windows only those count that touch the period; every other stream is needed whole. */
function inPeriod(stream: Stream, slices: Slice[], period: Period | undefined): Slice[] {
  if (stream.sync.kind !== 'windows' || period === undefined) return slices
  return slices.filter(
    ({ owned: window }) =>
      window === undefined || (window.fromMs < period.toMs && window.toMs > period.fromMs),
  )
}

interface Judged {
  stream: Stream
  run: SourceRun
  period: Period | undefined
}

function judge({ stream, run, period }: Judged, slices: readonly Slice[]): StreamCoverage {
  const complete = slices.filter(({ state }) => state === 'complete')
  const windows = complete.flatMap(({ owned: window }) => window ?? [])
  const dated = stream.sync.kind === 'windows' && period !== undefined
  const missing = dated ? uncovered(period, windows) : []
  const incomplete = slices.length - complete.length
  // Where windows were cut anew, a failed one may lie wholly under others that succeeded.
  const whole = dated ? missing.length === 0 : incomplete === 0 && complete.length > 0
  return {
    stream: stream.name,
    run,
    complete: complete.length,
    incomplete,
    missing,
    oldestReadMs:
      complete.length === 0
        ? undefined
        : Math.min(...complete.map(({ finishedAtMs }) => finishedAtMs)),
    whole: whole && (dated || run.state === 'complete'),
  }
}
