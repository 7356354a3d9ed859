import { sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Window } from '../../core/time/spans.ts'
import type { Warehouse } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'

/** The days in UTC, by their first instant, on which rows that are held begin; oldest first. */
export async function heldDays(
  { db }: Pick<Warehouse, 'db'>,
  { account, stream, column }: { account: string; stream: Stream; column: string },
  { fromMs, toMs }: Window,
): Promise<number[]> {
  const at = sql.id('t', column)
  const { rows } = await sql<{ day: string }>`
    select distinct date_trunc('day', ${at}, 'UTC') as day from ${current(stream)} t
    where t.account = ${account} and t._deleted_at is null
      and ${at} >= ${new Date(fromMs).toISOString()}::timestamptz
      and ${at} < ${new Date(toMs).toISOString()}::timestamptz
    order by day`.execute(db)
  return rows.map(({ day }) => Date.parse(day))
}
