import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Period } from '../../../src/core/define/report-period.ts'
import { zonedDayStartMs } from '../../../src/core/time/zone.ts'
import { addDays } from '../../shared/calendar.ts'
import { periodDays } from '../../shared/periods.ts'
import { readUntimed } from '../begun-sessions.ts'
import { type Days, readDays } from '../days.ts'
import type { AuditSource } from '../source.ts'

/** The days before the period, which define what is usual. */
export interface Base {
  period: Period
  days: readonly string[]
  /** The first day of the report's own period. The base ends before it. */
  first: string
  /** Days that were not completely read; they are excluded. */
  unread: readonly string[]
  /** Whether every day of the base is proven complete. */
  proven: boolean
  /** The first day for which the visitors of the preceding `acquaintance` days are known. */
  known: string
  acquaintance: number
}

export async function readBase(source: AuditSource, baseDays: number): Promise<Base> {
  const { days: own, timeZone } = source
  // `own` is not empty, because a report has at least one day.
  const first = own[0] as string
  const from = addDays(first, -baseDays)
  const period: Period = {
    fromMs: zonedDayStartMs(from, timeZone),
    toMs: source.period.fromMs,
    label: `${from}..${addDays(first, -1)}`,
  }
  const days = periodDays(period, timeZone)
  const before = { ...source, period, days }
  const states = await readDays(before, await readUntimed(source, period))
  const acquaintance = Math.floor(baseDays / 2)
  return {
    period,
    days,
    first,
    unread: daysIn(states.filter(({ state }) => state === 'incomplete')),
    proven: states.every(({ state }) => state === 'complete'),
    known: addDays(from, acquaintance),
    acquaintance,
  }
}

/** Whether a local day belongs to the base. */
export function isOfBase({ first, unread }: Base, day: Expression<string>): RawBuilder<boolean> {
  return sql`(${day} < ${first} and ${day} <> all(${[...unread]}::text[]))`
}

export function daysIn(ranges: readonly Days[]): string[] {
  return ranges.flatMap(({ from, count }) =>
    Array.from({ length: count }, (_, at) => addDays(from, at)),
  )
}
