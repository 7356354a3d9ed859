import { expect, it } from 'vitest'
import { countRateOf, pOfCount } from '../../../reports/shared/counts.ts'
import { falseDiscoveryRates } from '../../../reports/shared/statistics.ts'
import { learnNight } from '../../../reports/whiteboard-audit/unusual/night.ts'
import { type KindFacts, unusualTests } from '../../../reports/whiteboard-audit/unusual/tests.ts'

it.each([
  // With a mean of 1 and twice the variance it is the geometric distribution: half of the days have none.
  [1, { mean: 1, factor: 2 }, 1 / 2],
  [3, { mean: 1, factor: 2 }, 1 / 8],
  [40, { mean: 1, factor: 2 }, 2 ** -40],
  // Two of them added: (n + 1) / 2^(n + 2) for n.
  [2, { mean: 2, factor: 2 }, 1 - 1 / 4 - 2 / 8],
  // Nearly Poisson’s, of which the tables say 0.0119.
  [8, { mean: 3, factor: 1.000_01 }, 0.0119],
  [0, { mean: 3, factor: 2 }, 1],
])('knows how likely %i or more are of %o', (count, rate, p) => {
  expect(pOfCount(count, rate) / p).toBeCloseTo(1, 3)
})

it('measures by how much days differ more than chance, and takes bursts where nothing is known', () => {
  // Ten people on each of forty days: on one half of the days 4 objects each, on the other none.
  const days = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0 ? { units: 10, sum: 40, squares: 160 } : { units: 10, sum: 0, squares: 0 },
  )
  const rate = countRateOf(days, 10)
  expect(rate.mean).toBe(2)
  // Each is 2 away: 4 against 2, with 20 of ten times the variance besides.
  expect(rate.factor).toBeCloseTo((400 * 4 + 20 * 10) / (400 * 2 + 20), 9)
  expect(rate.most.factor).toBeGreaterThanOrEqual(rate.factor)
  expect(rate.most.mean).toBeGreaterThan(rate.mean)
  const none = countRateOf([{ units: 100, sum: 0, squares: 0 }], 10)
  expect([none.mean, none.factor]).toEqual([0, 10])
  expect(none.most.mean).toBeGreaterThan(1 / 101)
})

it('holds the false discoveries of a larger family than it is given', () => {
  const ps = [0.000_1, 0.001, 0.5]
  const whole = falseDiscoveryRates([...ps, ...Array.from({ length: 97 }, () => 1)])
  expect(falseDiscoveryRates(ps, 100).slice(0, 2)).toEqual(whole.slice(0, 2))
  expect(falseDiscoveryRates(ps, 100)[0]).toBeCloseTo(0.01, 12)
})

it('learns the night from the hours in which people are there', () => {
  const office = new Map(
    Array.from({ length: 24 }, (_, hour) => [hour, hour >= 7 && hour < 20 ? 50 : 1]),
  )
  expect(learnNight(office)).toEqual({ from: 20, to: 7 })
  expect(learnNight(new Map([...office, [2, 40]]))).toEqual({ from: 20, to: 2 })
  expect(learnNight(new Map(Array.from({ length: 24 }, (_, hour) => [hour, 10])))).toBeUndefined()
  const short = new Map(Array.from({ length: 24 }, (_, hour) => [hour, hour < 2 ? 0 : 10]))
  expect(learnNight(short)).toBeUndefined()
})

/** A thousand days of people in a base in which everybody deletes two objects on every second day. */
const base = Array.from({ length: 100 }, () => ({ units: 10, sum: 10, squares: 20 }))
const facts = (count: number, own: { days: number; sum: number }): KindFacts[] => [
  {
    kind: 'deletions',
    base,
    tests: 200,
    candidates: [{ person: 'u1', day: '2026-10-12', count, own }],
  },
]

it('holds a day against the higher of the person’s and the account’s rate', () => {
  const [fresh] = unusualTests(facts(60, { days: 0, sum: 0 }))
  const [quiet] = unusualTests(facts(60, { days: 50, sum: 0 }))
  const [busy] = unusualTests(facts(60, { days: 50, sum: 2_500 }))
  expect(fresh?.found).toBe(true)
  // Who never deletes anything is no surer a case than anybody.
  expect(quiet?.p).toBeCloseTo(fresh?.p ?? 0, 12)
  expect(busy).toMatchObject({ found: false, person: 'u1' })
  expect(busy?.p).toBeGreaterThan(0.05)
})

it('gives each kind the same part of the family', () => {
  const [alone] = unusualTests(facts(25, { days: 0, sum: 0 }))
  const others: KindFacts[] = [{ kind: 'outsiders', base: [], tests: 10, candidates: [] }]
  const [beside] = unusualTests([...facts(25, { days: 0, sum: 0 }), ...others])
  // Of two kinds each has a half, however many tests it has.
  expect((beside?.rate ?? 0) / (alone?.rate ?? 1)).toBeCloseTo(2, 9)
})
