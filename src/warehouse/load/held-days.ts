import { sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Window } from '../../core/time/spans.ts'
import type { Warehouse } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'

/** A day in UTC, by its first instant, and when the first and the last row of it begin, to the second. */
export interface HeldDay {
  dayMs: number
  firstMs: number
  lastMs: number
}

/** The days on which rows that are held begin; oldest first. */
export async function heldDays(
  { db }: Pick<Warehouse, 'db'>,
  { account, stream, column }: { account: string; stream: Stream; column: string },
  { fromMs, toMs }: Window,
): Promise<HeldDay[]> {
  const at = sql.id('t', column)
  const { rows } = await sql<{ day: string; first: string; last: string }>`
    select date_trunc('day', ${at}, 'UTC') as day, date_trunc('second', min(${at})) as first,
      date_trunc('second', max(${at})) as last from ${current(stream)} t
    where t.account = ${account} and t._deleted_at is null
      and ${at} >= ${new Date(fromMs).toISOString()}::timestamptz
      and ${at} < ${new Date(toMs).toISOString()}::timestamptz
    group by 1 order by 1`.execute(db)
  return rows.map(({ day, first, last }) => ({
    dayMs: Date.parse(day),
    firstMs: Date.parse(first),
    lastMs: Date.parse(last),
  }))
}
