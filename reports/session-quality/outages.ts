import { type Share, sumOf, wilson } from '../shared/statistics.ts'
import type { Counts } from './facts.ts'
import { badOf } from './kind-shares.ts'
import type { QualityKind } from './source.ts'

/**
 * Finds days on which most sessions were bad although hardly any were on other days. Each is a separate
 * finding and is excluded from weeks, months and levels, which would look bad because of this one day.
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

/** An outage day's share of bad sessions has at least this lower limit. */
const LEAST_BAD = 0.4
/** On all other days together, the share of bad sessions is at most this. */
const MOST_ELSEWHERE = 0.2
