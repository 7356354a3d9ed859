import { expect, it } from 'vitest'
import { isLargeDrop } from '../../src/cli/apply/large-drop.ts'

it.each([
  [{ deleted: 0, of: 0 }, false],
  [{ deleted: 0, of: 400 }, false],
  [{ deleted: 1, of: 1 }, true],
  [{ deleted: 3, of: 4 }, false],
  [{ deleted: 50, of: 100 }, false],
  [{ deleted: 51, of: 100 }, true],
  [{ deleted: 100, of: 1000 }, false],
  [{ deleted: 101, of: 1000 }, true],
])('of a sheet %o is a large drop: %s', (drop, large) => {
  expect(isLargeDrop(drop, { share: 0.1, rows: 50 })).toBe(large)
})
