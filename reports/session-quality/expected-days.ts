import { weekdayOf } from '../shared/calendar.ts'
import { expectationsOf, expectedRange } from '../shared/expected-range.ts'
import type { Interval, Share } from '../shared/statistics.ts'
import type { QualityFacts } from './facts.ts'
import { badOf } from './kind-shares.ts'
import type { QualityKind } from './source.ts'

export interface ExpectedDay {
  /** Undefined if nothing was rated, or if there is too little data on this weekday. */
  range: Interval | undefined
  verdict: 'as expected' | 'above' | 'below' | 'too few' | 'not rated'
}

/** Compares each day of the month with the same weekdays of earlier months. */
export function expectedDays(
  { days, earlier }: Pick<QualityFacts, 'days' | 'earlier'>,
  kind: QualityKind['kind'],
): Map<string, ExpectedDay> {
  const weekdays = new Map<string, Share[]>()
  for (const [day, counts] of earlier) {
    const name = weekdayOf(day)
    weekdays.set(name, [...(weekdays.get(name) ?? []), badOf(counts, kind)])
  }
  const expected = expectationsOf(weekdays)
  return new Map(
    [...days].map(([day, counts]) => {
      const share = badOf(counts, kind)
      const known = expected.get(weekdayOf(day))
      const range = known && expectedRange(known, share.of)
      return [day, { range, verdict: verdictOf(share, range) }]
    }),
  )
}

function verdictOf({ of, hits }: Share, range: Interval | undefined): ExpectedDay['verdict'] {
  if (of === 0) return 'not rated'
  if (range === undefined) return 'too few'
  // Rounds the limits to whole sessions, so that rounding errors do not decide.
  if (hits > Math.round(range.high * of)) return 'above'
  return hits < Math.round(range.low * of) ? 'below' : 'as expected'
}
