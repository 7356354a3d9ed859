import { addMonths, zonedInstant } from '../../src/core/time/zone.ts'
import { daysOf } from '../shared/calendar.ts'
import { monthsUpTo } from '../shared/periods.ts'
import type { Row } from '../shared/query.ts'
import { type LackingDays, lackingInMonths } from '../shared/read-days.ts'
import type { RecordingSource } from './source.ts'

/** How much the stored recordings grow by a month, by the whole months of late. */
export interface Growth {
  /** The months that it rests on, the earliest first; fewer than two say nothing of growth. */
  months: readonly string[]
  /** GB a month: their mean, and the least and the most of them. */
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
 * By months that were wholly read. One without a recording counts as nothing, if one before it has some.
 * What is deleted now and then is not in it: it tells what comes, not what goes.
 */
export function growthOf(
  months: readonly Row[],
  late: readonly string[],
  lacking: LackingDays,
): Growth | undefined {
  const stored = new Map(months.map(({ value, gigabytes }) => [String(value), Number(gigabytes)]))
  const [first] = [...stored.keys()].filter((month) => /^\d{4}-\d{2}$/.test(month)).toSorted()
  if (first === undefined) return undefined
  // The first month that is known was hardly read from its first day.
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
