import { type RawBuilder, sql } from 'kysely'

// What the query builder has no word for, and many statements need.

/** The database's clock, which stands still where a connection is told so. */
export const now: RawBuilder<string> = sql<string>`callsheet.clock()`

/** The time of the world outside, which moves on also where the clock stands still. */
export const wall: RawBuilder<string> = sql<string>`callsheet.wall()`

/** An instant that long before now, by an interval of Postgres such as `3 days`. */
export function ago(interval: string): RawBuilder<string> {
  return sql<string>`callsheet.clock() - ${interval}::interval`
}

/** To be compared with by `=`: any of these texts, in one parameter. */
export function anyOf<Text extends string>(texts: readonly Text[]): RawBuilder<Text> {
  return sql<Text>`any(${[...texts]}::text[])`
}
