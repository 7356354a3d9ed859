import { expect, it } from 'vitest'
import {
  differenceInterval,
  dispersionOf,
  falseDiscoveryRates,
  pOfDifference,
  twoSidedT,
  wilson,
} from '../../reports/shared/statistics.ts'

/** Newcombe, Statistics in Medicine 17 (1998), 857–872, table I, method 3. */
it.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('the Wilson interval of %i in %i is the published one', (hits, of, low, high) => {
  const interval = wilson({ of, hits })
  expect(interval?.low).toBeCloseTo(low, 4)
  expect(interval?.high).toBeCloseTo(high, 4)
})

/** Newcombe, ibid., 873–890, table II, method 10. */
it.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [10, 10, 0, 10, 0.6075, 1],
])('the interval of %i in %i less %i in %i is the published one', (a, n, b, m, low, high) => {
  const interval = differenceInterval({ of: n, hits: a }, { of: m, hits: b })
  expect(interval?.low).toBeCloseTo(low, 4)
  expect(interval?.high).toBeCloseTo(high, 4)
})

it('there is no interval without observations', () => {
  expect(wilson({ of: 0, hits: 0 })).toBeUndefined()
  expect(differenceInterval({ of: 0, hits: 0 }, { of: 5, hits: 1 })).toBeUndefined()
})

it.each([
  [12.706, 1, 0.05],
  [4.303, 2, 0.05],
  [3.182, 3, 0.05],
  [2.571, 5, 0.05],
  [2.228, 10, 0.05],
  [3.169, 10, 0.01],
  [3.646, 30, 0.001],
  [3.373, 120, 0.001],
])(
  'the probability of Student’s t of %f with %i degrees of freedom equals the tables',
  (t, degrees, p) => {
    expect(twoSidedT(t, degrees) / p).toBeCloseTo(1, 2)
    expect(twoSidedT(-t, degrees)).toBe(twoSidedT(t, degrees))
  },
)

/** Benjamini and Hochberg, JRSS B 57 (1995), 289–300, section 3.3: four of fifteen at 5 %. */
it('the false discovery rates equal the published example of Benjamini and Hochberg', () => {
  const ps = [
    0.0298, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0344, 0.0459, 0.324, 0.4262, 0.5719,
    0.6528, 0.759, 1,
  ]
  const rates = falseDiscoveryRates(ps)
  expect(ps.filter((_p, at) => (rates[at] ?? 1) <= 0.05)).toEqual([0.0001, 0.0004, 0.0019, 0.0095])
  expect(rates[4]).toBeCloseTo((0.0095 * 15) / 4, 12)
  expect(falseDiscoveryRates([])).toEqual([])
})

it('the dispersion is the variance between days, divided by the variance by chance', () => {
  const days = [
    { of: 10, hits: 0 },
    { of: 10, hits: 4 },
    { of: 0, hits: 0 },
  ]
  // The mean is 2 of 10. The variance is 2² + 2² with one degree of freedom, by chance 10 × 0.2 × 0.8.
  expect(dispersionOf([days])).toEqual({ factor: 5, degrees: 1 })
  const even = [days.map(() => ({ of: 10, hits: 2 }))]
  expect(dispersionOf(even).factor).toBe(1)
  expect(dispersionOf([])).toEqual({ factor: 1, degrees: 1 })
})

it('57 of 1,187 differs from 68 of 3,997, but not if the variance of days is 20 times as large', () => {
  const [week, rest] = [
    { of: 1_187, hits: 57 },
    { of: 3_997, hits: 68 },
  ]
  const p = (factor: number) => pOfDifference(week, rest, { factor, degrees: 40 })
  expect(p(1)).toBeLessThan(1e-5)
  expect(p(1.5)).toBeLessThan(1e-4)
  expect(p(20)).toBeGreaterThan(0.05)
  expect(pOfDifference(rest, week, { factor: 1, degrees: 40 }) / p(1)).toBeCloseTo(1, 6)
})

it('the probability of a difference is close to the exact one for a few events', () => {
  const degrees = 1_000_000 - 1
  // 5 of 6 bad sessions in a quarter of all: the binomial gives 0.0046 on one side, at most twice on both.
  const p = pOfDifference({ of: 500, hits: 5 }, { of: 1_500, hits: 1 }, { factor: 1, degrees })
  expect(p).toBeGreaterThan(0.0046)
  expect(p).toBeLessThan(0.0125)
})
