import { mondayOf } from '../shared/calendar.ts'
import { type Share, sumOf } from '../shared/statistics.ts'
import type { Counts } from './facts.ts'
import { badOf } from './kind-shares.ts'
import type { QualityKind } from './source.ts'

/** A week, or the part of it within one month. */
export interface Week {
  /** Its Monday, or the first day of the month. */
  from: string
  days: readonly Share[]
  whole: Share
}

/** Returns the first day of the day's week within the day's month. */
export function weekOf(day: string): string {
  const [monday, first] = [mondayOf(day), `${day.slice(0, 7)}-01`]
  return monday < first ? first : monday
}

/** Counts the rated and the bad sessions of each week, in order. */
export function weeksOf(days: ReadonlyMap<string, Counts>, kind: QualityKind['kind']): Week[] {
  const weeks = new Map<string, Share[]>()
  for (const [day, counts] of [...days].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const from = weekOf(day)
    weeks.set(from, [...(weeks.get(from) ?? []), badOf(counts, kind)])
  }
  return [...weeks].map(([from, shares]) => ({ from, days: shares, whole: sumOf(shares) }))
}
