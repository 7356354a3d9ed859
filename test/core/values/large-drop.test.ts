import { describe, expect, it } from 'vitest'
import { isLargeDrop, isLargeRemoval } from '../../../src/core/values/large-drop.ts'

const LIMITS = { share: 0.1, rows: 50 }

describe('a drop of rows', () => {
  it.each([
    ['nothing', 0, 0, false],
    ['no row of many', 0, 400, false],
    ['the only row', 1, 1, false],
    ['all rows, exactly the limit of rows', 50, 50, false],
    ['all rows, one more than the limit of rows', 51, 51, true],
    ['more than the limit of rows, exactly the limit of share', 60, 600, false],
    ['one more than both limits permit', 61, 600, true],
    ['a large share, and few rows', 40, 45, false],
    ['many rows, and a small share', 100, 100_000, false],
    ['more rows than were stored', 51, 0, true],
  ])('of %s (%i of %i) counts as large: %s', (_what, missing, of, large) => {
    expect(isLargeDrop(missing, of, LIMITS)).toBe(large)
  })

  it('depends only on the other limit if one limit is 0', () => {
    expect(isLargeDrop(51, 1_000_000, { share: 0, rows: 50 })).toBe(true)
    expect(isLargeDrop(1, 9, { share: 0.1, rows: 0 })).toBe(true)
    expect(isLargeDrop(1, 10, { share: 0.1, rows: 0 })).toBe(false)
    expect(isLargeDrop(0, 0, { share: 0, rows: 0 })).toBe(false)
  })
})

it.each([
  [0, 0, false],
  [0, 400, false],
  [1, 1, true],
  [3, 4, false],
  [50, 50, true],
  [50, 100, false],
  [51, 100, true],
  [100, 1000, false],
  [101, 1000, true],
])('a removal of %i of %i lines counts as large: %s', (deleted, of, large) => {
  expect(isLargeRemoval(deleted, of, LIMITS)).toBe(large)
})
