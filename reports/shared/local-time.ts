import { type Expression, type RawBuilder, sql } from 'kysely'
import { zonedDayStartMs } from '../../src/core/time/zone.ts'

/** An instant, or null. */
export type Instant = Expression<string | null>

/** Returns an instant as local date and time, in the form of a cell. */
export function localInstant(value: Instant, timeZone: string): RawBuilder<string | null> {
  return sql`to_char(${value} at time zone ${timeZone}, 'YYYY-MM-DD"T"HH24:MI:SS')`
}

/** Returns the local day of an instant, as text. */
export function localDay(value: Instant, timeZone: string): RawBuilder<string> {
  return sql`(${value} at time zone ${timeZone})::date::text`
}

/**
 * Returns the last of the ordered days that had begun at an instant; the first must have begun. Converting
 * each row's time to the time zone would take as long as all the counting.
 */
export function lastBegun(
  days: readonly string[],
  instant: Instant,
  timeZone: string,
): RawBuilder<string> {
  const starts = days.map((day) => new Date(zonedDayStartMs(day, timeZone)).toISOString())
  return sql`(${days}::date[])[width_bucket(${instant}, ${starts}::timestamptz[])]`
}

export function instantOf(epochMs: number): RawBuilder<string> {
  return sql`${new Date(epochMs).toISOString()}::timestamptz`
}

/** Returns the later of two instants, ignoring null. */
export function later(one: Instant, other: Instant): RawBuilder<string | null> {
  return sql`greatest(${one}, ${other})`
}

/** Returns whole seconds, whose sum does not depend on the order of parallel workers. */
export function secondsBetween(from: Instant, to: Instant): RawBuilder<number | null> {
  return sql`round(extract(epoch from ${to} - ${from}))::bigint`
}
