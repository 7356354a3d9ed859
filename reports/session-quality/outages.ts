import { type Share, sumOf, wilson } from '../shared/statistics.ts'
import type { Counts } from './facts.ts'
import { badOf } from './kind-shares.ts'
import type { QualityKind } from './source.ts'

/**
 * The days on which most sessions were bad while hardly any were on the other days. Such a day is a finding
 * of its own, and left out of weeks, months and levels, which it alone would make look bad.
 */
export function outageDays(
  days: ReadonlyMap<string, Counts>,
  { kind }: QualityKind,
): Map<string, { part: Share; rest: Share }> {
  const shares = [...days].map(([day, counts]) => ({ day, share: badOf(counts, kind) }))
  const failed = shares.filter(({ share }) => (wilson(share)?.low ?? 0) >= LEAST_BAD)
  const others = sumOf(shares.flatMap((one) => (failed.includes(one) ? [] : [one.share])))
  if ((wilson(others)?.high ?? 1) > MOST_ELSEWHERE) return new Map()
  return new Map(failed.map(({ day, share }) => [day, { part: share, rest: others }]))
}

/** Of the sessions of the day, as the lower limit of its interval. */
const LEAST_BAD = 0.4
/** Of the sessions of all other days. */
const MOST_ELSEWHERE = 0.2
