import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { DailyCounts } from '../../core/records/low-volume.ts'
import type { Window } from '../../core/time/spans.ts'
import { iso } from '../../core/time/time.ts'
import type { Transaction } from '../connect.ts'
import { current, firstKey } from '../schema/table-sql.ts'

/**
 * The number of rows whose root record has an instant on the UTC day `day`, and that were first seen on
 * `seenDay`. Days count from 1970-01-01.
 */
export interface DayCount {
  day: number
  seenDay: number
  rows: number
}

/** A stream, and its `root`: the stream of windows that its records descend from, or itself. */
export interface CountedStream {
  account: string
  stream: Stream
  root: Stream
  /** The root's column with the instant. */
  column: string
}

/** A stream's counts by day, from one run and the runs before it. */
export interface KeptDays extends DailyCounts {
  /** How many of the last days may still get records. */
  lateDays: number
}

/** Counts a stream's rows, with those marked as deleted, by the days of `DayCount`; `window` bounds `day`. */
export async function countByDay(
  db: Transaction,
  counted: CountedStream,
  window: Window,
): Promise<DayCount[]> {
  return (await dayCounts(counted, window).execute(db)).rows
}

/** Uses the index of the root's instants, then the key of each selected root row to find its rows. */
export function dayCounts(
  { account, stream, root, column }: CountedStream,
  { fromMs, toMs }: Window,
): RawBuilder<DayCount> {
  const at = sql.id('r', column)
  const seen = sql.id(stream === root ? 'r' : 't', '_first_seen_at')
  const dayOf = (instant: RawBuilder<unknown>) =>
    sql`floor(extract(epoch from ${instant}) / 86400)::int`
  // A plain join would read the rows of every root. This looks up only the rows of the selected ones.
  const own = sql`cross join lateral (
    select t._first_seen_at from ${current(stream)} t
    where t.account = ${account} and ${firstKey(stream, 't')} = ${firstKey(root, 'r')} offset 0) t`
  return sql<DayCount>`
    select ${dayOf(at)} as day, ${dayOf(seen)} as "seenDay", count(*)::int as rows
    from ${current(root)} r ${stream === root ? sql`` : own}
    where r.account = ${account} and ${at} >= ${iso(fromMs)}::timestamptz
      and ${at} < ${iso(toMs)}::timestamptz
    group by 1, 2`
}

/** Counts documented notifications received in a window, without those of state `ahead`, by event and day. */
export async function countNotifications(
  db: Transaction,
  account: string,
  { fromMs, toMs }: Window,
): Promise<{ event: string; day: number; rows: number }[]> {
  return await db
    .selectFrom('callsheet.notifications')
    .select(({ fn }) => [
      'event',
      sql<number>`floor(extract(epoch from received_at) / 86400)::int`.as('day'),
      fn.countAll<number>().as('rows'),
    ])
    .where('account', '=', account)
    .where('received_at', '>=', iso(fromMs))
    .where('received_at', '<', iso(toMs))
    .where('state', 'in', ['applied', 'stored', 'unmatched'])
    .groupBy(['event', 'day'])
    .orderBy('event')
    .execute()
}

/** For each stream, the last counts of a run that ended by `endedByMs` (default: now), with its job. */
export async function keptDays(
  db: Transaction,
  { account, endedByMs }: { account: string; endedByMs?: number | undefined },
): Promise<(KeptDays & { job: string })[]> {
  // `endedByMs` is truncated to the millisecond, so the rest of that millisecond is included.
  const end = endedByMs === undefined ? 'infinity' : iso(endedByMs + 1)
  const { rows } = await sql<{ kept: KeptDays & { job: string } }>`
    with recursive jobs(job) as (
      select min(job) from callsheet.runs where account = ${account}
      union all
      select (select min(r.job) from callsheet.runs r where r.account = ${account} and r.job > j.job)
      from jobs j where j.job is not null)
    select distinct on (d.day->>'stream') d.day || jsonb_build_object('job', j.job) as kept
    from jobs j
    cross join lateral (
      select id, days from (
        select id, summary->'days' as days from callsheet.runs
        where account = ${account} and job = j.job and finished_at < ${end}::timestamptz
        order by id desc limit ${MOST_RUNS}) r
      where jsonb_array_length(coalesce(days, '[]')) > 0
      order by id desc limit 1) r
    cross join lateral jsonb_array_elements(r.days) as d(day)
    where j.job is not null and d.day ? 'lateDays'
    order by d.day->>'stream', (d.day->>'fromDay')::int desc, r.id desc`.execute(db)
  return rows.map(({ kept }) => kept)
}

/** Like `keptDays`, without the days that may still get records. */
export async function daysOfStreams(
  db: Transaction,
  of: { account: string; endedByMs?: number | undefined },
): Promise<(DailyCounts & { job: string })[]> {
  const kept = await keptDays(db, of)
  return kept.map(({ lateDays, counts, ...one }) => ({
    ...one,
    counts: counts.slice(0, counts.length - lateDays),
  }))
}

/** How many runs of a job are searched: each run copies the counts of the one before, unless it is killed. */
const MOST_RUNS = 20
