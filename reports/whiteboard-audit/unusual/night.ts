import { type Expression, type RawBuilder, sql } from 'kysely'

/** Hours of the day in the report's zone, `to` exclusive. They may span midnight. */
export interface Night {
  from: number
  to: number
}

/**
 * Returns the longest sequence of hours with less than a quarter of the average activity; undefined if it is
 * shorter than three hours, as in an account that works around the clock.
 */
export function learnNight(counts: ReadonlyMap<number, number>): Night | undefined {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const quiet = (hour: number): boolean => (counts.get(hour % 24) ?? 0) * 24 < all * QUIET
  let best: Night & { length: number } = { from: 0, to: 0, length: 0 }
  for (let from = 0; from < 24; from++) {
    let length = 0
    while (length < 24 && quiet(from + length)) length++
    if (length > best.length) best = { from, to: (from + length) % 24, length }
  }
  return best.length < FEWEST_HOURS ? undefined : { from: best.from, to: best.to }
}

/** Whether an hour, 0 to 23, is at night. */
export function isNight(hour: Expression<unknown>, { from, to }: Night): RawBuilder<boolean> {
  return sql`((${hour} - ${from}::int + 24) % 24 < ${lengthOf({ from, to })}::int)`
}

function lengthOf({ from, to }: Night): number {
  return (to - from + 24) % 24
}

/** Formats the night: `22:00–06:00`. */
export function nightText({ from, to }: Night): string {
  return `${clock(from)}–${clock(to)}`
}

function clock(hour: number): string {
  return `${String(hour % 24).padStart(2, '0')}:00`
}

const QUIET = 0.25
const FEWEST_HOURS = 3
