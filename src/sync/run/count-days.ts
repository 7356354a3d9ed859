import type { Job } from '../../core/define/job.ts'
import type { Stream } from '../../core/define/stream.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import {
  type CountedStream,
  countByDay,
  countNotifications,
  type DayCount,
  type KeptDays,
  keptDays,
} from '../../warehouse/load/daily-counts.ts'
import type { RunContext } from './run-context.ts'

type Counting = Pick<RunContext, 'account' | 'warehouse' | 'clock' | 'observer'>

/** Counts that earlier runs stored. */
export interface KeptBefore {
  own: readonly KeptDays[]
  /** Counts of notifications, whichever job stored them last. */
  notifications: readonly KeptDays[]
}

export async function keptBefore(run: Counting, job: Pick<Job, 'name'>): Promise<KeptBefore> {
  const all = await retryDatabase(run, () => keptDays(run.warehouse.db, run))
  const plain = all.map(({ job: by, ...kept }) => ({ by, kept }))
  return {
    own: plain.flatMap(({ by, kept }) => (by === job.name ? [kept] : [])),
    notifications: plain.flatMap(({ kept }) => (kept.notifications === true ? [kept] : [])),
  }
}

/**
 * Counts rows by the past day on which they began; nested and fan-out rows by their parent's day. Skips
 * streams without dates. The first run of a day counts a stream, and also the notifications.
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
    if (before !== undefined && endOf(before) >= today) continue
    const of = { account: run.account, stream, root, column }
    counted.set(stream.name, await countStream(run, of, today))
  }
  if (Math.max(0, ...notifications.map(endOf)) < today)
    for (const kind of await countKinds(run, { before: notifications, today }))
      counted.set(kind.stream, kind)
  return [...counted.values()]
}

const endOf = ({ fromDay, counts }: KeptDays): number => fromDay + counts.length

async function countStream(run: Counting, of: CountedStream, today: number): Promise<KeptDays> {
  const { stream, root } = of
  const fromDay = today - KEPT_DAYS
  const window = { fromMs: fromDay * DAY_MS, toMs: today * DAY_MS }
  const rows = await retryDatabase(run, () => countByDay(run.warehouse.db, of, window))
  const counts = Array.from({ length: KEPT_DAYS }, () => 0)
  for (const { day, rows: many } of rows)
    counts[day - fromDay] = (counts[day - fromDay] ?? 0) + many
  return {
    stream: stream.name,
    ...(stream === root ? {} : { of: root.name }),
    fromDay,
    counts,
    lateDays: latenessOf(rows, today),
  }
}

/**
 * Within how many days nine of ten records of the last three weeks arrived, besides the two days that a
 * silence takes to be noticed. The first load shows little about that, so its records count for two days
 * only. Records that come a week later than that do not count: a later load of older days brings such ones.
 */
export function latenessOf(rows: readonly DayCount[], today: number): number {
  const firstDay = Math.min(...rows.map(({ seenDay }) => seenDay))
  const later = rows.filter(({ seenDay }) => seenDay > firstDay)
  const used = later.length > 0 ? later : today - firstDay < 2 ? rows : []
  const late = used
    .filter(({ day }) => day >= today - RECENT_DAYS)
    .map(({ day, seenDay, rows: many }) => ({ days: Math.max(0, seenDay - day - 2), many }))
    .filter(({ days }) => days < MOST_LATE_DAYS)
  const sum = (least: number): number =>
    late.reduce((all, { days, many }) => all + (days > least ? many : 0), 0)
  for (let most = 0; most < MOST_LATE_DAYS; most++) if (sum(most) * 10 <= sum(-1)) return most
  return MOST_LATE_DAYS
}

/** Counts notifications by kind and day; the most frequent kinds first. */
async function countKinds(
  run: Counting,
  { before, today }: { before: readonly KeptDays[]; today: number },
): Promise<KeptDays[]> {
  const fromDay = today - KEPT_DAYS
  const first = Math.max(fromDay, ...before.map(endOf))
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
    return { stream, notifications: true, fromDay, counts, lateDays: 0 }
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

/** How long the service shows most streams. Expected counts are estimated from eight of these weeks. */
const KEPT_DAYS = 182
/** The maximum number of counted kinds: about three times as many as the service documents. */
const MOST_KINDS = 100
const RECENT_DAYS = 21
const MOST_LATE_DAYS = 7
