import { dispersionOf, type Interval, type Share, sumOf } from './statistics.ts'

/** The expected share of a day, and how certain it is. */
export interface Expectation {
  share: number
  /** The certainty as a number of sessions. It is higher if the share is certain and days are similar. */
  weight: number
}

/**
 * Estimates expectations from groups of similar days, e.g. weekdays; undefined for a group with too little
 * data. Measures over all groups how much more days differ than by chance.
 */
export function expectationsOf<Key>(
  groups: ReadonlyMap<Key, readonly Share[]>,
): Map<Key, Expectation | undefined> {
  const days = [...groups.values()].flat()
  const { factor } = dispersionOf([...groups.values()])
  const sessions = sumOf(days).of
  const typical = sessions === 0 ? 0 : days.reduce((sum, { of }) => sum + of ** 2, 0) / sessions
  const alike = typical <= 1 ? 0 : Math.min(0.99, (factor - 1) / (typical - 1))
  return new Map(
    [...groups].map(([key, shares]) => [key, expectationOf(shares, { alike, factor })]),
  )
}

function expectationOf(
  shares: readonly Share[],
  { alike, factor }: { alike: number; factor: number },
): Expectation | undefined {
  const { of, hits } = sumOf(shares)
  if (shares.filter((day) => day.of > 0).length < FEWEST_DAYS || of < FEWEST_SESSIONS)
    return undefined
  const unknown = factor / (of + factor)
  return { share: (hits + 0.5) / (of + 1), weight: 1 / Math.min(0.99, alike + unknown) - 1 }
}

/**
 * Returns the range that contains all but three days in a thousand if nothing changed, by the beta-binomial
 * distribution, which is valid for a few sessions too. Returns undefined for a day without sessions.
 */
export function expectedRange({ share, weight }: Expectation, of: number): Interval | undefined {
  if (of <= 0) return undefined
  const [a, b] = [share * weight, (1 - share) * weight]
  let log = 0
  for (let at = 0; at < of; at++) log += Math.log((b + at) / (weight + at))
  let [below, low] = [0, 0]
  for (let hits = 0; hits <= of; hits++) {
    if (below <= OUTSIDE / 2) low = hits
    below += Math.exp(log)
    if (below >= 1 - OUTSIDE / 2) return { low: low / of, high: hits / of }
    log += Math.log(((of - hits) * (a + hits)) / ((hits + 1) * (b + of - hits - 1)))
  }
  return { low: low / of, high: 1 }
}

/** The share of days beyond three standard deviations on both sides, as in control charts. */
const OUTSIDE = 0.0027
const FEWEST_DAYS = 4
const FEWEST_SESSIONS = 20
