import { expect, it } from 'vitest'
import { countRateOf, pOfCount } from '../../../reports/shared/counts.ts'
import { falseDiscoveryRates } from '../../../reports/shared/statistics.ts'
import { learnNight } from '../../../reports/whiteboard-audit/unusual/night.ts'
import { type KindFacts, unusualTests } from '../../../reports/whiteboard-audit/unusual/tests.ts'

it.each([
  // With a mean of 1 and a variance of 2 it is the geometric distribution: half of the days have none.
  [1, { mean: 1, factor: 2 }, 1 / 2],
  [3, { mean: 1, factor: 2 }, 1 / 8],
  [40, { mean: 1, factor: 2 }, 2 ** -40],
  // The sum of two such counts is n with the probability (n + 1) / 2^(n + 2).
  [2, { mean: 2, factor: 2 }, 1 - 1 / 4 - 2 / 8],
  // Nearly the Poisson distribution, whose tables give 0.0119.
  [8, { mean: 3, factor: 1.000_01 }, 0.0119],
  [0, { mean: 3, factor: 2 }, 1],
])('the probability of %i or more events with %o equals the exact one', (count, rate, p) => {
  expect(pOfCount(count, rate) / p).toBeCloseTo(1, 3)
})

it('the rate of events includes the dispersion between days, and assumes bursts without data', () => {
  // Ten people on each of forty days: 4 objects each on one half of the days, none on the other.
  const days = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0 ? { units: 10, sum: 40, squares: 160 } : { units: 10, sum: 0, squares: 0 },
  )
  const rate = countRateOf(days, 10)
  expect(rate.mean).toBe(2)
  // Each squared deviation is 4 with a mean of 2; the prior adds 20 observations with factor 10.
  expect(rate.factor).toBeCloseTo((400 * 4 + 20 * 10) / (400 * 2 + 20), 9)
  expect(rate.most.factor).toBeGreaterThanOrEqual(rate.factor)
  expect(rate.most.mean).toBeGreaterThan(rate.mean)
  const none = countRateOf([{ units: 100, sum: 0, squares: 0 }], 10)
  expect([none.mean, none.factor]).toEqual([0, 10])
  expect(none.most.mean).toBeGreaterThan(1 / 101)
})

it('false discovery rates can be computed for more tests than are given', () => {
  const ps = [0.000_1, 0.001, 0.5]
  const whole = falseDiscoveryRates([...ps, ...Array.from({ length: 97 }, () => 1)])
  expect(falseDiscoveryRates(ps, 100).slice(0, 2)).toEqual(whole.slice(0, 2))
  expect(falseDiscoveryRates(ps, 100)[0]).toBeCloseTo(0.01, 12)
})

it('the night is derived from the hours in which people are active', () => {
  const office = new Map(
    Array.from({ length: 24 }, (_, hour) => [hour, hour >= 7 && hour < 20 ? 50 : 1]),
  )
  expect(learnNight(office)).toEqual({ from: 20, to: 7 })
  expect(learnNight(new Map([...office, [2, 40]]))).toEqual({ from: 20, to: 2 })
  expect(learnNight(new Map(Array.from({ length: 24 }, (_, hour) => [hour, 10])))).toBeUndefined()
  const short = new Map(Array.from({ length: 24 }, (_, hour) => [hour, hour < 2 ? 0 : 10]))
  expect(learnNight(short)).toBeUndefined()
})

/** A base of 1,000 days of people, on every second of which a person deletes two objects. */
const base = Array.from({ length: 100 }, () => ({ units: 10, sum: 10, squares: 20 }))
const facts = (count: number, own: { days: number; sum: number }): KindFacts[] => [
  {
    kind: 'deletions',
    base,
    tests: 200,
    candidates: [{ person: 'u1', day: '2026-10-12', count, own }],
  },
]

it('a day is compared with the higher of the person’s and the account’s rates', () => {
  const [fresh] = unusualTests(facts(60, { days: 0, sum: 0 }))
  const [quiet] = unusualTests(facts(60, { days: 50, sum: 0 }))
  const [busy] = unusualTests(facts(60, { days: 50, sum: 2_500 }))
  expect(fresh?.found).toBe(true)
  // A person who never deleted anything gets the same probability as a new person.
  expect(quiet?.p).toBeCloseTo(fresh?.p ?? 0, 12)
  expect(busy).toMatchObject({ found: false, person: 'u1' })
  expect(busy?.p).toBeGreaterThan(0.05)
})

it('each kind of finding gets the same share of the false discoveries', () => {
  const [alone] = unusualTests(facts(25, { days: 0, sum: 0 }))
  const others: KindFacts[] = [{ kind: 'outsiders', base: [], tests: 10, candidates: [] }]
  const [beside] = unusualTests([...facts(25, { days: 0, sum: 0 }), ...others])
  // Each of two kinds has one half, whatever its number of tests.
  expect((beside?.rate ?? 0) / (alone?.rate ?? 1)).toBeCloseTo(2, 9)
})
