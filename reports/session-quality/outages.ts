import { type Share, sumOf, wilson } from '../shared/statistics.ts'
import type { Counts } from './facts.ts'
import { badOf } from './kind-shares.ts'
import type { QualityKind } from './source.ts'

/**
 * Finds days on which a large part of the sessions was bad, although few were on all other days. The tests of
 * weeks, months and levels exclude such a day, because it alone would make them look bad.
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

/** On an outage day, the lower limit (95 %) of the share of bad sessions is at least this. */
const LEAST_BAD = 0.4
/** On all other days together, the upper limit (95 %) of the share of bad sessions is at most this. */
const MOST_ELSEWHERE = 0.2
