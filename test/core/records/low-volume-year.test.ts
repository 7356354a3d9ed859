import { describe, expect, it } from 'vitest'
import { type DailyCounts, lowStretches } from '../../../src/core/records/low-volume.ts'
import { Random } from '../../sim/random.ts'

/** A year of an account in which nothing is wrong with the service. */
interface World {
  /** Records of a stream on a usual working day. */
  streams: readonly number[]
  /** How much days differ: the variance is the mean and this share of its square. */
  spread: number
  weekend: number
  /** From the first day to the last. */
  growth?: number
  /** Before this day there was nothing. */
  beginsAt?: number
}

const WORLDS: Record<string, World> = {
  'a company': { streams: [60, 12, 25], spread: 0.15, weekend: 0.02 },
  'a company that is busy every day': { streams: [200, 80, 90], spread: 0.1, weekend: 0.8 },
  'a small office': { streams: [5, 1, 2], spread: 0.4, weekend: 0 },
  'a company that grows': { streams: [40, 10, 10], spread: 0.2, weekend: 0.05, growth: 4 },
  'a company that shrinks': { streams: [60, 15, 20], spread: 0.2, weekend: 0.05, growth: 0.2 },
  'a new account': { streams: [50, 20, 20], spread: 0.2, weekend: 0.02, beginsAt: 150 },
  'one stream alone': { streams: [30], spread: 0.2, weekend: 0 },
}
const ACCOUNTS = 20

describe('in a year without a fault', () => {
  it.each(Object.entries(WORLDS))('%s hears of at most one false silence', (_name, world) => {
    const alarms = Array.from({ length: ACCOUNTS }, (_, seed) => falseAlarms(yearOf(world, seed)))
    expect(alarms.filter((count) => count > 1).length).toBeLessThanOrEqual(ACCOUNTS * 0.05)
    expect(alarms.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(ACCOUNTS * 1.05)
  })
})

describe('a stream that falls silent on a working day', () => {
  it.each([
    'a company',
    'a company that is busy every day',
    'a company that grows',
    'a new account',
  ])('is reported within two nights of %s', (name) => {
    let late = 0
    for (let seed = 0; seed < ACCOUNTS; seed++) {
      const year = yearOf(WORLDS[name] as World, seed)
      // A Tuesday between the holidays.
      const from = 7 * 37 + 1
      const [first, ...others] = year as [DailyCounts, ...DailyCounts[]]
      const spoilt = [
        { ...first, counts: first.counts.map((n, at) => (at < from ? n : 0)) },
        ...others,
      ]
      const open = lowStretches(until(spoilt, from + 2)).some(
        (one) => one.open && one.stream === 's0',
      )
      if (!open) late++
    }
    expect(late).toBeLessThanOrEqual(ACCOUNTS * 0.05)
  })
})

/** How often a person hears of a silence, with each night judged by the days before it. */
function falseAlarms(year: readonly DailyCounts[]): number {
  let [alarms, last] = [0, new Set<string>()]
  for (let night = 60; night <= DAYS; night++) {
    const open = lowStretches(until(year, night)).filter((one) => one.open)
    const now = new Set(open.map(({ general, stream }) => (general ? 'all' : stream)))
    alarms += [...now].filter((name) => !last.has(name)).length
    last = now
  }
  return alarms
}

function until(year: readonly DailyCounts[], night: number): DailyCounts[] {
  const from = Math.max(0, night - KEPT_DAYS)
  return year.map(({ stream, counts }) => ({
    stream,
    fromDay: from,
    counts: counts.slice(from, night),
  }))
}

function yearOf(
  { streams, spread, weekend, growth = 1, beginsAt = 0 }: World,
  seed: number,
): DailyCounts[] {
  const random = new Random(seed, 'year')
  const day = (at: number): number => 1 - (at % 7 > 4 ? 1 - weekend : 0)
  return streams.map((usual, n) => ({
    stream: `s${n}`,
    fromDay: 0,
    counts: Array.from({ length: DAYS }, (_, at) => {
      if (at < beginsAt) return 0
      const rest = HOLIDAYS.has(at) ? 0.03 : 1
      const mean = usual * day(at) * rest * growth ** (at / DAYS)
      return countOf(random, mean, spread)
    }),
  }))
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

const DAYS = 365
const KEPT_DAYS = 91
/** Nine single days, a long weekend in spring, and the days between the years. */
const HOLIDAYS = new Set([
  0, 22, 50, 95, 96, 97, 98, 120, 128, 148, 184, 226, 245, 276, 324, 325, 357, 358, 359, 360, 361,
  362, 363, 364,
])
