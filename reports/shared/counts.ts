/** A cluster, e.g. a day: its number of units, the sum of their counts, and the sum of the squares. */
export interface Counted {
  units: number
  sum: number
  squares: number
}

/** The mean of a unit, and by which factor the counts of units vary more than by chance. */
export interface CountRate {
  mean: number
  factor: number
  /** The upper limits of the mean and the factor, at 90 %. */
  most: { mean: number; factor: number }
}

/**
 * Estimates the rate from clusters, each of which may be high or low as a whole. Assumes, with the weight of
 * twenty observations, that counts come in bursts of `usual`; with much data this hardly matters.
 */
export function countRateOf(clusters: readonly Counted[], usual: number): CountRate {
  const units = total(clusters, 'units')
  const sum = total(clusters, 'sum')
  const mean = units === 0 ? 0 : sum / units
  const expected = sum + KNOWN_BEFORE
  const parts = clusters.map((one) => ({
    squares: one.squares - 2 * mean * one.sum + one.units * mean ** 2,
    expected: one.units * mean,
  }))
  const squares = parts.reduce((all, part) => all + part.squares, 0)
  const factor = Math.max(LEAST_FACTOR, (squares + KNOWN_BEFORE * usual) / expected)
  const away = parts.reduce((all, part) => all + (part.squares - factor * part.expected) ** 2, 0)
  const mostFactor = factor + (Z90 * Math.sqrt(away)) / expected
  const about = (sum + 1) / (units + 1)
  const mostMean = about + Z90 * Math.sqrt((mostFactor * about) / (units + 1))
  return { mean, factor, most: { mean: mostMean, factor: mostFactor } }
}

/**
 * Returns the probability of at least this count, by the negative binomial distribution, whose variance is
 * the mean times the factor, as for events in bursts. It is valid even if most units have no events and a few
 * have many; a mean and its deviation are useless then.
 */
export function pOfCount(
  count: number,
  { mean, factor }: { mean: number; factor: number },
): number {
  if (count <= 0) return 1
  const bursts = mean / (factor - 1)
  const more = (factor - 1) / factor
  let log = -bursts * Math.log(factor)
  for (let at = 0; at < count; at++) log += Math.log((more * (bursts + at)) / (at + 1))
  let [term, sum] = [Math.exp(log), 0]
  for (let at = count; term > sum * 1e-12; at++) {
    sum += term
    term *= (more * (bursts + at)) / (at + 1)
  }
  return Math.min(1, sum)
}

function total(clusters: readonly Counted[], what: keyof Counted): number {
  return clusters.reduce((sum, one) => sum + one[what], 0)
}

/** The normal quantile of 90 %. */
const Z90 = 1.281_551_565_544_6
const KNOWN_BEFORE = 20
/** The smallest factor. A factor of 1 is the Poisson distribution, which the formula does not cover. */
const LEAST_FACTOR = 1.001
