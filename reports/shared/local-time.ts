import { type Expression, type RawBuilder, sql } from 'kysely'
import { zonedDayStartMs } from '../../src/core/time/zone.ts'

/** An instant, or null. */
export type Instant = Expression<string | null>

/** An instant as local date and time, in the form of a cell. */
export function localInstant(value: Instant, timeZone: string): RawBuilder<string | null> {
  return sql`to_char(${value} at time zone ${timeZone}, 'YYYY-MM-DD"T"HH24:MI:SS')`
}

/** The local day of an instant, as text. */
export function localDay(value: Instant, timeZone: string): RawBuilder<string> {
  return sql`(${value} at time zone ${timeZone})::date::text`
}

/**
 * The last of the days, in order, that had begun by an instant; the first had. A zone that is asked for each
 * row takes as long as all that is counted of the rows.
 */
export function lastBegun(
  days: readonly string[],
  instant: Instant,
  timeZone: string,
): RawBuilder<string> {
  const starts = days.map((day) => new Date(zonedDayStartMs(day, timeZone)).toISOString())
  return sql`(${days}::date[])[width_bucket(${instant}, ${starts}::timestamptz[])]`
}

/** An instant of ours in SQL. */
export function instantOf(epochMs: number): RawBuilder<string> {
  return sql`${new Date(epochMs).toISOString()}::timestamptz`
}

/** The later of two instants; a null counts for nothing. */
export function later(one: Instant, other: Instant): RawBuilder<string | null> {
  return sql`greatest(${one}, ${other})`
}

/** Whole seconds, so that a sum is the same in whatever order parallel workers add it up. */
export function secondsBetween(from: Instant, to: Instant): RawBuilder<number | null> {
  return sql`round(extract(epoch from ${to} - ${from}))::bigint`
}
