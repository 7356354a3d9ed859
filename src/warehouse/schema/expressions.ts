import { type RawBuilder, sql } from 'kysely'

// SQL that many statements need and the query builder lacks.

/** The database's clock, which a connection may freeze (`frozenNow`). */
export const now: RawBuilder<string> = sql<string>`callsheet.clock()`

/** The real time, even if the connection's clock is frozen. */
export const wall: RawBuilder<string> = sql<string>`callsheet.wall()`

/** The instant before now by a Postgres interval such as `3 days`. */
export function ago(interval: string): RawBuilder<string> {
  return sql<string>`callsheet.clock() - ${interval}::interval`
}

/** For `=`: matches any of these texts, sent as one parameter. */
export function anyOf<Text extends string>(texts: readonly Text[]): RawBuilder<Text> {
  return sql<Text>`any(${[...texts]}::text[])`
}
