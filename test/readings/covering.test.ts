import { expect, it } from 'vitest'
import { coveringRows, pairsOf, type Row } from './covering.ts'
import { APART, FEW, GREEN } from './green.ts'

const together = (rows: readonly Row[], names: readonly (readonly [string, string])[]): boolean =>
  rows.some((row) => names.every(([name, way]) => row[name] === way))

it('covering rows combine every two values of two factors, with the same result each time', () => {
  const factors = { a: ['1', '2', '3'], b: ['1', '2', '3'], c: ['x', 'y'], d: ['only'] }
  const rows = coveringRows(factors)
  expect(rows.every((row) => Object.keys(row).length === 4)).toBe(true)
  expect(pairsOf(factors, 9).filter((pair) => !together(rows, pair))).toEqual([])
  expect(rows.length).toBeLessThan(12)
  expect(coveringRows(factors)).toEqual(rows)
})

it('covering rows may omit pairs of a factor with many values, but none of its values', () => {
  const factors = { a: ['1', '2', '3', '4', '5'], b: ['x', 'y'], c: ['x', 'y'] }
  const rows = coveringRows(factors, { mostWays: 2 })
  expect(rows).toHaveLength(5)
  expect(new Set(rows.map(({ a }) => a)).size).toBe(5)
  expect(pairsOf(factors, 2).filter((pair) => !together(rows, pair))).toEqual([])
})

it('covering rows never combine incompatible values', () => {
  const factors = { a: ['1', '2'], b: ['1', '2'] }
  const apart = [[[['a', '1']], [['b', '2']]]] as const
  const rows = coveringRows(factors, { apart })
  expect(
    together(rows, [
      ['a', '1'],
      ['b', '2'],
    ]),
  ).toBe(false)
  expect(rows).toHaveLength(3)
})

it('every ambiguous reading of the documents is covered by a few syncs', () => {
  const rows = coveringRows(GREEN, { mostWays: FEW, apart: APART })
  const lacking = Object.entries(GREEN).flatMap(([name, ways]) =>
    ways.filter((way) => !together(rows, [[name, way]])),
  )
  expect(lacking).toEqual([])
  expect(rows.length).toBeLessThanOrEqual(35)
  expect(Object.keys(GREEN).length).toBeGreaterThan(40)
})
