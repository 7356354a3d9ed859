/** A number of units (e.g. sessions), and how many of them were hits (e.g. bad). */
export interface Share {
  of: number
  hits: number
}

export interface Interval {
  low: number
  high: number
}

/** Returns Wilson's 95 % interval of a share, also valid for few or no hits; undefined without units. */
export function wilson({ of, hits }: Share): Interval | undefined {
  if (of <= 0) return undefined
  const share = hits / of
  const middle = share + Z95 ** 2 / (2 * of)
  const half = Z95 * Math.sqrt((share * (1 - share)) / of + Z95 ** 2 / (4 * of ** 2))
  const whole = 1 + Z95 ** 2 / of
  return { low: Math.max(0, (middle - half) / whole), high: Math.min(1, (middle + half) / whole) }
}

/** Returns Newcombe's 95 % interval of a difference of two shares; undefined if one has no units. */
export function differenceInterval(one: Share, other: Share): Interval | undefined {
  const [a, b] = [wilson(one), wilson(other)]
  if (a === undefined || b === undefined) return undefined
  const [p, q] = [one.hits / one.of, other.hits / other.of]
  return {
    low: p - q - Math.hypot(p - a.low, b.high - q),
    high: p - q + Math.hypot(a.high - p, q - b.low),
  }
}

/** The factor by which daily counts vary more than if sessions were independent; its degrees of freedom. */
export interface Dispersion {
  factor: number
  degrees: number
}

/**
 * Returns the overdispersion of a quasi-binomial model with days as clusters. A common cause, such as a bad
 * room or a bad line, makes the sessions of a day alike, so days differ more than by chance. A session key
 * that is always worse adds nothing if it occurs on every day. Each group (such as a week) has a share of its
 * own, so that a changed week does not count as noise.
 */
export function dispersionOf(groups: readonly (readonly Share[])[]): Dispersion {
  let [squares, expected, sessions, squaredSizes, used] = [0, 0, 0, 0, 0]
  for (const days of groups) {
    const whole = sumOf(days)
    if (whole.of === 0) continue
    const share = whole.hits / whole.of
    used++
    for (const { of, hits } of days) {
      squares += (hits - share * of) ** 2
      expected += of * share * (1 - share) * (1 - of / whole.of)
      sessions += of
      squaredSizes += of ** 2
    }
  }
  // Counts days weighted by size, because small days give little information and empty days none.
  const days = squaredSizes === 0 ? 0 : sessions ** 2 / squaredSizes
  const degrees = Math.max(1, Math.floor(days - used))
  return { factor: expected === 0 ? 1 : Math.max(1, squares / expected), degrees }
}

export function sumOf(shares: readonly Share[]): Share {
  return shares.reduce((sum, { of, hits }) => ({ of: sum.of + of, hits: sum.hits + hits }), {
    of: 0,
    hits: 0,
  })
}

/** Scales a share down to as many independent sessions as carry the information of its clustered ones. */
export function scaled({ of, hits }: Share, factor: number): Share {
  return { of: of / factor, hits: hits / factor }
}

/**
 * Returns the probability of at least this difference between two shares if nothing changed, by the
 * quasi-binomial analysis of deviance. Unlike a z test it is valid for a few bad sessions. Subtracts half a
 * session for continuity.
 */
export function pOfDifference(one: Share, other: Share, dispersion: Dispersion): number {
  const { of, hits } = sumOf([one, other])
  const expected = (hits * one.of) / of
  const away = Math.max(0, Math.abs(one.hits - expected) - 0.5)
  const counted = expected + Math.sign(one.hits - expected) * away
  const nearer = [
    { of: one.of, hits: counted },
    { of: other.of, hits: hits - counted },
  ] as const
  const deviance = Math.max(0, devianceOf(...nearer))
  return twoSidedT(Math.sqrt(deviance / dispersion.factor), dispersion.degrees)
}

/** Returns how much better two shares fit than one common share: twice the log of the likelihood ratio. */
export function devianceOf(one: Share, other: Share): number {
  const all = sumOf([one, other])
  const share = all.hits / all.of
  return [one, other].reduce(
    (sum, { of, hits }) => sum + 2 * part(hits, of * share) + 2 * part(of - hits, of * (1 - share)),
    0,
  )
}

function part(seen: number, awaited: number): number {
  return seen <= 0 || awaited <= 0 ? 0 : seen * Math.log(seen / awaited)
}

/** Returns the probability that Student's t is at least this far from zero. `degrees` is a whole number. */
export function twoSidedT(t: number, degrees: number): number {
  const angle = Math.atan(Math.abs(t) / Math.sqrt(degrees))
  const [sine, square] = [Math.sin(angle), Math.cos(angle) ** 2]
  const odd = degrees % 2 === 1
  let term = odd ? Math.cos(angle) : 1
  let sum = degrees === 1 ? 0 : term
  for (let n = odd ? 3 : 2; n < degrees - 1; n += 2) {
    term *= (square * (n - 1)) / n
    sum += term
  }
  const inside = odd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum
  return Math.min(1, Math.max(0, 1 - inside))
}

/**
 * Returns, by Benjamini and Hochberg, the false discovery rate at which each test would be a finding, in the
 * given order. If the family has more `tests` than `ps`, the others count as without a finding.
 */
export function falseDiscoveryRates(ps: readonly number[], tests = ps.length): number[] {
  const rates: number[] = Array.from(ps, () => 1)
  let least = 1
  const order = ps.map((p, at) => ({ p, at })).toSorted((a, b) => b.p - a.p)
  for (const [from, { p, at }] of order.entries()) {
    least = Math.min(least, (p * tests) / (ps.length - from))
    rates[at] = least
  }
  return rates
}

/** The share of a report’s findings that may be due to chance. */
export const FALSE_DISCOVERIES = 0.05

/** The normal quantile of 97.5 %. */
const Z95 = 1.959_963_984_540_054
