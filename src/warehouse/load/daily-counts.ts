import { sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { DailyCounts } from '../../core/records/low-volume.ts'
import type { Window } from '../../core/time/spans.ts'
import type { Transaction, Warehouse } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'

/** How many rows began on a UTC day and were first seen so many days after the next day began. */
export interface DayCount {
  /** As days of the epoch. */
  day: number
  lateDays: number
  rows: number
}

/** The rows of a stream of windows by the day on which they began, deleted ones included. */
export async function countByDay(
  { db }: Pick<Warehouse, 'db'>,
  { account, stream, column }: { account: string; stream: Stream; column: string },
  { fromMs, toMs }: Window,
): Promise<DayCount[]> {
  const at = sql.id('t', column)
  const day = sql<number>`floor(extract(epoch from ${at}) / 86400)::int`
  const late = sql<number>`greatest(0, ceil(extract(epoch from t._first_seen_at - ${at}) / 86400) - 2)::int`
  return await db
    .selectFrom(current(stream).as('t'))
    .select(({ fn }) => [day.as('day'), late.as('lateDays'), fn.countAll<number>().as('rows')])
    .where('t.account', '=', account)
    .where(sql<boolean>`${at} >= ${new Date(fromMs).toISOString()}::timestamptz`)
    .where(sql<boolean>`${at} < ${new Date(toMs).toISOString()}::timestamptz`)
    .groupBy(['day', 'lateDays'])
    .execute()
}

/** Of each stream what the newest run counted that read it to its end and had ended by then, or by now. */
export async function daysOfStreams(
  db: Transaction,
  { account, endedByMs }: { account: string; endedByMs?: number | undefined },
): Promise<DailyCounts[]> {
  const end =
    endedByMs === undefined
      ? sql`callsheet.clock()`
      : sql`${new Date(endedByMs).toISOString()}::timestamptz`
  const { rows } = await sql<DailyCounts>`
    select distinct on (d.stream) d.stream, d."fromDay", d.counts
    from (
      select id, summary from callsheet.runs
      where account = ${account} and finished_at <= ${end}
      and finished_at > ${end} - interval '14 days' and summary ? 'days') r
    cross join lateral jsonb_to_recordset(r.summary->'days')
      as d(stream text, "fromDay" integer, counts jsonb)
    order by d.stream, r.id desc`.execute(db)
  return rows
}
