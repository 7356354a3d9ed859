import { type Dispersion, devianceOf, pOfDifference, type Share, sumOf } from './statistics.ts'

/** The sessions of one week on both sides of a comparison. */
export interface WeekSides {
  part: Share
  rest: Share
}

/**
 * Compares two shares several times, each time without one week. Returns the smallest deviance (`fit`), and
 * the largest probability of such a difference by chance (`p`). If the difference disappears or reverses
 * without one of the weeks, `fit` is 0 and `p` is 1.
 */
export function withoutAnyWeek(
  weeks: readonly WeekSides[],
  dispersion: Dispersion,
): { fit: number; p: number } {
  const [part, rest] = [
    sumOf(weeks.map((week) => week.part)),
    sumOf(weeks.map((week) => week.rest)),
  ]
  const higher = Math.sign(excessOf(part, rest))
  let [fit, p] = [Infinity, 0]
  for (const week of weeks) {
    const [one, other] = [minus(part, week.part), minus(rest, week.rest)]
    if (one.of <= 0 || other.of <= 0 || Math.sign(excessOf(one, other)) !== higher)
      return { fit: 0, p: 1 }
    fit = Math.min(fit, devianceOf(one, other))
    p = Math.max(p, pOfDifference(one, other, dispersion))
  }
  return { fit, p }
}

/** Returns how many more hits a part has than it would have with the rest's share. */
export function excessOf(part: Share, rest: Share): number {
  return rest.of === 0 ? 0 : part.hits - (part.of * rest.hits) / rest.of
}

export function minus(all: Share, part: Share): Share {
  return { of: all.of - part.of, hits: all.hits - part.hits }
}
