import type { Job } from '../../core/define/job.ts'
import type { Stream } from '../../core/define/stream.ts'
import { lateBy } from '../../core/records/late-by.ts'
import type { Window } from '../../core/time/spans.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import {
  type CountedStream,
  countByDay,
  countNotifications,
  type KeptDays,
  keptDays,
  windowsReadSince,
} from '../../warehouse/load/daily-counts.ts'
import type { RunContext } from './run-context.ts'

type Counting = Pick<RunContext, 'account' | 'warehouse' | 'clock' | 'observer'>

/** Counts that earlier runs stored. */
export interface KeptBefore {
  own: readonly KeptDays[]
  /** Counts of notifications, whichever job stored them last. */
  notifications: readonly KeptDays[]
}

export async function keptBefore(run: Counting, job: Job): Promise<KeptBefore> {
  const all = await retryDatabase(run, () => keptDays(run.warehouse.db, run))
  const names = new Set(job.streams.map(({ name }) => name))
  const plain = all.map(({ job: by, ...kept }) => ({ by, kept }))
  const isOwn = ({ by, kept }: (typeof plain)[number]): boolean =>
    by === job.name &&
    (job.partial === true || kept.notifications === true || names.has(kept.stream))
  return {
    own: plain.filter(isOwn).map(({ kept }) => kept),
    notifications: plain.map(({ kept }) => kept).filter((kept) => kept.notifications === true),
  }
}

/**
 * Counts each stream's rows by the past day on which they began; nested and fan-out rows by their parent's
 * day. Reuses earlier counts, except for days read since. The first run of a day counts notifications too.
 */
export async function countDays(
  run: Counting,
  { streams }: Pick<Job, 'streams'>,
  { own, notifications }: KeptBefore,
): Promise<KeptDays[]> {
  const counted = new Map(own.map((kept) => [kept.stream, kept]))
  const today = Math.floor(run.clock.now() / DAY_MS)
  for (const stream of streams) {
    const root = rootOf(stream)
    if (root.sync.kind !== 'windows') continue
    const { cursor: column } = root.sync
    const before = counted.get(stream.name)
    const of = { account: run.account, stream, root, column, firstMs: before?.firstMs }
    counted.set(stream.name, await countStream(run, { of, before, today }))
  }
  const known = notifications.map(({ fromDay, counts }) => fromDay + counts.length)
  if (Math.max(0, ...known) < today)
    for (const kind of await countKinds(run, { before: notifications, today }))
      counted.set(kind.stream, kind)
  return [...counted.values()]
}

interface StreamToCount {
  of: CountedStream
  before: KeptDays | undefined
  today: number
}

async function countStream(run: Counting, { of, before, today }: StreamToCount): Promise<KeptDays> {
  const { stream, root } = of
  const wholeList = root.sync.kind === 'windows' ? root.sync.whole?.().slice : undefined
  const { db } = run.warehouse
  const read = before && {
    before,
    windows: await retryDatabase(run, () =>
      // A day earlier, since clocks differ and another run of the account may have been reading.
      windowsReadSince(db, { ...of, stream: root.name, wholeList }, before.atMs - DAY_MS),
    ),
  }
  const fromDay = today - KEPT_DAYS
  const all = Array.from({ length: KEPT_DAYS }, (_, at) => fromDay + at)
  const windows = read === undefined || read.windows === 'all' ? undefined : read.windows
  const days = all.filter((day) => windows?.some((window) => touches(window, day)) ?? true)
  const rows = await retryDatabase(run, () => countByDay(db, of, spansOf(days)))
  const fresh = new Set(days)
  const counts = all.map((day) =>
    fresh.has(day) ? 0 : (before?.counts[day - before.fromDay] ?? 0),
  )
  for (const { day, rows: many } of rows)
    counts[day - fromDay] = (counts[day - fromDay] ?? 0) + many
  return {
    stream: stream.name,
    ...(stream === root ? {} : { of: root.name }),
    fromDay,
    counts,
    lateDays: lateBy(rows) ?? stillLate(before, run.clock.now()),
    firstMs: before?.firstMs ?? run.clock.now(),
    atMs: run.clock.now(),
  }
}

/** If no new record shows the lateness, it stays for two days from the first count; then it is zero. */
function stillLate(before: KeptDays | undefined, nowMs: number): number {
  return before === undefined || nowMs - before.firstMs >= 2 * DAY_MS ? 0 : before.lateDays
}

/** Counts notifications by kind and day; the most frequent kinds first. */
async function countKinds(
  run: Counting,
  { before, today }: { before: readonly KeptDays[]; today: number },
): Promise<KeptDays[]> {
  const fromDay = today - KEPT_DAYS
  const first = Math.max(fromDay, ...before.map((kept) => kept.fromDay + kept.counts.length))
  const window = { fromMs: first * DAY_MS, toMs: today * DAY_MS }
  const rows = await retryDatabase(run, () =>
    countNotifications(run.warehouse.db, run.account, window),
  )
  const found = Map.groupBy(rows, ({ event }) => event)
  const events = new Set([...before.map(({ stream }) => stream), ...found.keys()])
  const kinds = [...events].map((stream): KeptDays => {
    const kept = before.find((one) => one.stream === stream)
    const counts = Array.from(
      { length: KEPT_DAYS },
      (_, at) => kept?.counts[fromDay + at - kept.fromDay] ?? 0,
    )
    for (const { day, rows: many } of found.get(stream) ?? []) counts[day - fromDay] = many
    const atMs = run.clock.now()
    return { stream, notifications: true, fromDay, counts, lateDays: 0, firstMs: atMs, atMs }
  })
  const total = ({ counts }: KeptDays): number => counts.reduce((sum, count) => sum + count, 0)
  const some = kinds.filter((kind) => total(kind) > 0)
  return some.toSorted((a, b) => total(b) - total(a)).slice(0, MOST_KINDS)
}

/** The stream whose instants date a record: its own, or the one that it is nested in or fans out from. */
function rootOf(stream: Stream): Stream {
  const { sync } = stream
  return sync.kind === 'nested' || sync.kind === 'fan-out' ? rootOf(sync.parent) : stream
}

function touches({ fromMs, toMs }: Window, day: number): boolean {
  return fromMs < (day + 1) * DAY_MS && toMs > day * DAY_MS
}

/** Merges consecutive days into one window. */
function spansOf(days: readonly number[]): Window[] {
  const spans: Window[] = []
  for (const day of days) {
    const last = spans.at(-1)
    if (last?.toMs === day * DAY_MS) last.toMs += DAY_MS
    else spans.push({ fromMs: day * DAY_MS, toMs: (day + 1) * DAY_MS })
  }
  return spans
}

/** How long the service shows most streams. Expected counts are estimated from eight of these weeks. */
const KEPT_DAYS = 182
/** The maximum number of counted kinds: about three times as many as the service documents. */
const MOST_KINDS = 100
