import { type RawBuilder, sql } from 'kysely'

/** An instant as local date and time, in the form of a cell. */
export function localInstant(value: RawBuilder<unknown>, timeZone: string): RawBuilder<unknown> {
  return sql`to_char(${value} at time zone ${timeZone}, 'YYYY-MM-DD"T"HH24:MI:SS')`
}

/** The local day of an instant, as text. */
export function localDay(value: RawBuilder<unknown>, timeZone: string): RawBuilder<unknown> {
  return sql`(${value} at time zone ${timeZone})::date::text`
}

/** An instant of ours in SQL. */
export function instantOf(epochMs: number): RawBuilder<unknown> {
  return sql`${new Date(epochMs).toISOString()}::timestamptz`
}
