import { type Share, sumOf, wilson } from '../shared/statistics.ts'
import type { Counts } from './facts.ts'
import { badOf } from './kind-shares.ts'
import type { QualityKind } from './source.ts'

/**
 * Finds days on which most sessions were bad while hardly any were on other days. Each is a finding of its
 * own and is left out of weeks, months and levels, which would look bad because of that one day.
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

/** The least bad share of the day, as the lower limit of its interval. */
const LEAST_BAD = 0.4
/** The largest bad share of all other days together. */
const MOST_ELSEWHERE = 0.2
