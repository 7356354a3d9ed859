import { addMonths, zonedInstant } from '../../src/core/time/zone.ts'
import { daysOf } from '../shared/calendar.ts'
import { monthsUpTo } from '../shared/periods.ts'
import type { Row } from '../shared/query.ts'
import { type LackingDays, lackingInMonths } from '../shared/read-days.ts'
import type { RecordingSource } from './source.ts'

/** How much storage the recordings of each month need, over the last months that were read completely. */
export interface Growth {
  /** The months that the growth is based on, earliest first; at least two. */
  months: readonly string[]
  /** GB per month: the mean, the least and the most. */
  mean: number
  least: number
  most: number
}

export async function readGrowth(
  source: RecordingSource,
  months: readonly Row[],
): Promise<Growth | undefined> {
  const { asOfMs, timeZone } = source
  const last = addMonths(zonedInstant(asOfMs, timeZone).slice(0, 7), -1)
  const late = monthsUpTo(last, MOST_MONTHS)
  return growthOf(months, late, await lackingInMonths(source, late, asOfMs))
}

/**
 * Measures what is stored now of each month that was read completely; a month without recordings counts as 0.
 * Does not subtract deletions of older recordings. Returns undefined for fewer than two months.
 */
export function growthOf(
  months: readonly Row[],
  late: readonly string[],
  lacking: LackingDays,
): Growth | undefined {
  const stored = new Map(months.map(({ value, gigabytes }) => [String(value), Number(gigabytes)]))
  const [first] = [...stored.keys()].filter((month) => /^\d{4}-\d{2}$/.test(month)).toSorted()
  if (first === undefined) return undefined
  // Skips the first known month, which was probably not read from its first day.
  const counted = late.filter(
    (month) => month > first && !daysOf(month).some((day) => lacking.has(day)),
  )
  if (counted.length < 2) return undefined
  const sizes = counted.map((month) => stored.get(month) ?? 0)
  return {
    months: counted,
    mean: sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
    least: Math.min(...sizes),
    most: Math.max(...sizes),
  }
}

const MOST_MONTHS = 6
