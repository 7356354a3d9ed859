import { sql } from 'kysely'
import type { Report } from '../core/define/report.ts'
import type { Period } from '../core/define/report-period.ts'
import { fetchedStream, type Stream } from '../core/define/stream.ts'
import { lowWithin } from '../core/records/low-text.ts'
import { lowStretches } from '../core/records/low-volume.ts'
import { cleanText } from '../core/records/map-record.ts'
import type { Window } from '../core/time/spans.ts'
import { DAY_MS, iso } from '../core/time/time.ts'
import { uncovered } from '../core/time/uncovered.ts'
import type { LowStretch } from '../core/values/low-stretch.ts'
import type { Disputes } from '../evidence/disputes.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { columnsInForce } from '../warehouse/keep-out/column-policies.ts'
import { type PartKept, partKept, partsInForce } from '../warehouse/keep-out/row-parts.ts'
import { daysOfStreams } from '../warehouse/load/daily-counts.ts'
import { policyOf, type Withheld } from './policy-text.ts'
import { endMs, type Moment, runWithoutRequests, sourceOf } from './report-moment.ts'
import { rowsAsOf } from './report-rows.ts'
import { type Slice, slicesAsOf } from './report-slices.ts'
import type { SourceRun } from './source-runs.ts'
import { timelessIn } from './timeless-in.ts'

/** The state of one stream in the ledger, as of the report's run. */
export interface StreamCoverage {
  stream: string
  run: SourceRun
  complete: number
  incomplete: number
  /** The number of unusable records in complete slices. No table contains them. */
  setAside: number
  /** Records without a readable time, which appear in no period, and the column of that time. */
  timeless?: { rows: number; column: string } | undefined
  /** Parts of the period that no complete slice owns. */
  missing: readonly Window[]
  /** When the oldest complete slice was read. */
  oldestReadMs: number | undefined
  whole: boolean
  /** Why the account may not read the stream, if that was the latest response. */
  refusal: string | undefined
  /** How the ledger differs from its signed state, if evidence is kept. */
  disputed: string | undefined
  /** Stretches with far fewer records or files than before, in the period or until now. */
  low?: readonly LowStretch[]
  /** The fields that the account's column policy drops or hashes, as `stream.field`. */
  policy?: Withheld | undefined
  /** The part of the stream that its table had as of the report; undefined if the table had all records. */
  part?: PartKept | undefined
  /** Whether the report works without the stream. */
  optional: boolean
}

export interface CoverageSource {
  account: string
  moment: Moment
  disputes: Disputes
}

/**
 * Returns the coverage of every needed stream, and of optional streams that were ever read; nothing for a
 * report without needs, which checks the ledgers itself.
 */
export async function readCoverage(
  tx: Transaction,
  source: CoverageSource,
  { report, period }: { report: Pick<Report, 'needs' | 'optional'>; period: Period | undefined },
): Promise<StreamCoverage[]> {
  const needed = named(report.needs)
  if (needed.size === 0) return []
  const streams = new Map([...named(report.optional ?? []), ...needed])
  const coverage: StreamCoverage[] = []
  const endedByMs = endMs(source.moment)
  const days = await daysOfStreams(tx, { account: source.account, endedByMs })
  const stretches = lowStretches(days)
  const shown = [...report.needs, ...(report.optional ?? [])]
  const fields = await columnsInForce(tx, source.account)
  const parts = await partsInForce(tx, source.account)
  for (const stream of streams.values()) {
    if (!source.moment.has(stream.name)) continue
    const run = sourceOf(source.moment, stream)
    const slices = await slicesAsOf(tx, { account: source.account, stream: stream.name, run })
    const optional = !needed.has(stream.name)
    // Optional streams are not limited to the period, because e.g. boards may be older than it.
    const within = { ...source, stream, period: optional ? undefined : period }
    const idle = slices.length === 0 && (await runWithoutRequests(tx, source, stream)) !== undefined
    const counted = await inPeriod(tx, within, slices)
    const judged = judge({ ...within, run, optional, idle }, counted)
    const rests = stream.sync.kind === 'windows' ? reaching(slices, within) : counted
    const disputed = await disputeOf(source, { stream, run }, rests)
    const names = shown.filter((one) => fetchedStream(one) === stream).map(({ name }) => name)
    const own = stretches.filter((one) => [stream.name, ...names].includes(one.stream))
    const low = lowWithin(own, within.period)
    const timeless = await timelessIn(tx, { ...within, run })
    const placed = timeless === undefined || run.whole
    const part = partKept(parts, stream, endedByMs)
    const whole =
      judged.whole && disputed === undefined && low.length === 0 && placed && part?.read !== false
    const policy = policyOf(fields, names)
    const more = { timeless, disputed, low, refusal: refusalOf(slices), policy, part }
    coverage.push({ ...judged, whole, ...more })
  }
  return coverage.toSorted((a, b) => Number(a.optional) - Number(b.optional))
}

function named(streams: readonly Stream[]): Map<string, Stream> {
  return new Map(streams.map(fetchedStream).map((stream) => [stream.name, stream]))
}

interface InPeriod extends CoverageSource {
  stream: Stream
  period: Period | undefined
}

/**
 * Selects the slices that matter for the period: of a stream of windows, those that touch the period; of
 * lists by parent whose parents have windows, the lists of the period's parents; of any other stream, all.
 */
async function inPeriod(tx: Transaction, source: InPeriod, slices: Slice[]): Promise<Slice[]> {
  const { stream, period } = source
  if (period === undefined) return slices
  if (stream.sync.kind === 'fan-out') return await ofParents(tx, { ...source, period }, slices)
  if (stream.sync.kind !== 'windows') return slices
  return slices.filter(
    ({ owned: window }) =>
      window === undefined || (window.fromMs < period.toMs && window.toMs > period.fromMs),
  )
}

/**
 * Returns the lists, read or not, of parents that begin in the period or at most `overlapDays` before it.
 * Includes parents without a start time, unless they were first seen earlier.
 */
async function ofParents(
  tx: Transaction,
  { account, moment, stream, period }: InPeriod & { period: Period },
  slices: Slice[],
): Promise<Slice[]> {
  const { sync } = stream
  if (sync.kind !== 'fan-out' || sync.parent.sync.kind !== 'windows') return slices
  const { parent } = sync
  const { cursor, overlapDays } = sync.parent.sync
  const run = moment.get(parent.name)
  if (run === undefined) return slices
  const [from, to] = [iso(period.fromMs - overlapDays * DAY_MS), iso(period.toMs)]
  const began = sql.ref<string | null>(cursor)
  const rows = await tx
    .selectFrom(rowsAsOf(parent, account, run).as('p'))
    .select(sql.ref<string>(parent.key[0] as string).as('key'))
    .where(({ eb, and, or }) =>
      or([
        and([eb(began, '>=', from), eb(began, '<', to)]),
        and([eb(began, 'is', null), eb('p._first_seen_at', '>=', from)]),
      ]),
    )
    .execute()
  const known = new Map(slices.map((slice) => [slice.name, slice]))
  return rows.map(({ key }) => {
    const name = cleanText(sync.request([key]).slice)
    return known.get(name) ?? { ...NEVER_READ, name }
  })
}

interface Judged {
  stream: Stream
  run: SourceRun
  period: Period | undefined
  optional: boolean
  /** Whether the run had nothing to request from this stream. */
  idle: boolean
}

function judge(
  { stream, run, period, optional, idle }: Judged,
  slices: readonly Slice[],
): Omit<StreamCoverage, 'refusal' | 'disputed' | 'timeless' | 'low'> {
  const complete = slices.filter(({ state }) => state === 'complete')
  const windows = complete.flatMap(({ owned: window }) => window ?? [])
  const { kind } = stream.sync
  const missing = kind === 'windows' && period !== undefined ? uncovered(period, windows) : []
  const incomplete = slices.length - complete.length
  const setAside = complete.reduce((sum, { quarantined }) => sum + quarantined, 0)
  const whole =
    period !== undefined && kind === 'windows'
      ? missing.length === 0
      : period !== undefined && kind === 'fan-out'
        ? incomplete === 0
        : incomplete === 0 && complete.length > 0 && run.whole
  const readAtMs = complete.map(({ finishedAtMs }) => finishedAtMs)
  return {
    stream: stream.name,
    run,
    complete: complete.length,
    incomplete,
    setAside,
    missing,
    oldestReadMs: readAtMs.reduce<number | undefined>(
      (oldest, ms) => (oldest === undefined || ms < oldest ? ms : oldest),
      undefined,
    ),
    whole: idle || (whole && setAside === 0),
    optional,
  }
}

/** Omits windows that end so long before the period that none of their rows can reach into it. */
function reaching(slices: readonly Slice[], { stream, period }: InPeriod): readonly Slice[] {
  const { sync } = stream
  if (period === undefined || sync.kind !== 'windows') return slices
  const fromMs = period.fromMs - sync.overlapDays * DAY_MS
  return slices.filter(({ owned }) => owned === undefined || owned.toMs > fromMs)
}

/** Returns how the ledger differs from the signed log since the oldest of these slices, if it does. */
async function disputeOf(
  { disputes }: CoverageSource,
  { stream, run }: { stream: Stream; run: SourceRun },
  [first, ...rest]: readonly Slice[],
): Promise<string | undefined> {
  if (first === undefined) return undefined
  const sinceMs = rest.reduce(
    (oldest, one) => Math.min(oldest, one.finishedAtMs),
    first.finishedAtMs,
  )
  return await disputes.of({ stream: stream.name, runId: run.id, sinceMs })
}

function refusalOf(slices: readonly Slice[]): string | undefined {
  const latest = slices.reduce((max, { runId }) => Math.max(max, runId), 0)
  const last = slices.filter(({ runId }) => runId === latest)
  return last.every(({ state }) => state === 'not_allowed') ? last[0]?.error : undefined
}

const NEVER_READ = {
  state: 'never read',
  finishedAtMs: 0,
  runId: 0,
  quarantined: 0,
  owned: undefined,
  error: undefined,
} as const
