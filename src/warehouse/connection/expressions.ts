import { type RawBuilder, sql } from 'kysely'

// What the query builder has no word for, and many statements need.

/** The database's clock, which stands still where a connection is told so. */
export const now: RawBuilder<string> = sql<string>`callsheet.clock()`

/** An instant that long before now, by an interval of Postgres such as `3 days`. */
export function ago(interval: string): RawBuilder<string> {
  return sql<string>`callsheet.clock() - ${interval}::interval`
}
