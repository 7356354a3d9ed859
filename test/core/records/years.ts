import type { DailyCounts } from '../../../src/core/records/low-volume.ts'
import { Random } from '../../sim/random.ts'

/** A year of an account in which nothing is wrong with the service. */
export interface World {
  series: readonly Series[]
  /** How much days vary: the variance is the mean plus this share of the mean's square. */
  spread: number
  /** The volume of a day at a weekend, and of a holiday, as a share of a working day's. */
  weekend: number
  holiday?: number
  /** The factor by which the volume grows from the first day to the last. */
  growth?: number
  /** The first day with records. */
  beginsAt?: number
}

export interface Series extends Partial<Pick<World, 'weekend' | 'holiday'>> {
  stream: string
  /** Records on a working day on average. */
  usual: number
  /** The stream that its records belong to: `usual` then counts records per record of that stream. */
  of?: string
  notifications?: true
}

export const DAYS = 365
/** A run knows the counts of this many days. */
const KEPT_DAYS = 182

export function streams(...usual: readonly number[]): Series[] {
  return usual.map((one, n) => ({ stream: `s${n}`, usual: one }))
}

export function yearOf(world: World, seed: number): DailyCounts[] {
  const random = new Random(seed, 'year')
  const year: DailyCounts[] = []
  for (const { stream, of, usual, notifications, ...own } of world.series) {
    const { spread, weekend, holiday = 0.03, growth = 1, beginsAt = 0 } = { ...world, ...own }
    const owner = year.find((one) => one.stream === of)
    const counts = Array.from({ length: DAYS }, (_, at) => {
      if (owner !== undefined) return Math.round((owner.counts[at] ?? 0) * usual)
      const share = (at % 7 > 4 ? weekend : 1) * (HOLIDAYS.has(at) ? holiday : 1)
      const mean = usual * share * growth ** (at / DAYS)
      return at < beginsAt ? 0 : countOf(random, mean, spread)
    })
    year.push({
      stream,
      ...(of && { of }),
      ...(notifications && { notifications }),
      fromDay: 0,
      counts,
    })
  }
  return year
}

/** The counts that a run knows in a night. */
export function until(year: readonly DailyCounts[], night: number): DailyCounts[] {
  const fromDay = Math.max(0, night - KEPT_DAYS)
  return year.map((one) => ({ ...one, fromDay, counts: one.counts.slice(fromDay, night) }))
}

/** Drawn from the negative binomial distribution: a Poisson count whose rate differs from day to day. */
function countOf(random: Random, mean: number, spread: number): number {
  const shape = Math.round(1 / spread)
  let sum = 0
  for (let n = 0; n < shape; n++) sum -= Math.log(1 - random.unit())
  const rate = (mean * sum) / shape
  // The number of exponential waiting times that fit into the day.
  let count = -1
  for (let waited = 0; waited <= rate; count++) waited -= Math.log(1 - random.unit())
  return count
}

/** Nine single days, a long weekend in spring, and the days from Christmas to New Year. */
const HOLIDAYS = new Set([
  0, 22, 50, 95, 96, 97, 98, 120, 128, 148, 184, 226, 245, 276, 324, 325, 357, 358, 359, 360, 361,
  362, 363, 364,
])
