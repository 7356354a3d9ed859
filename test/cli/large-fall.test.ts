import { expect, it } from 'vitest'
import { isLargeFall } from '../../src/cli/apply/large-fall.ts'

it.each([
  [{ gone: 0, of: 0 }, false],
  [{ gone: 0, of: 400 }, false],
  [{ gone: 1, of: 1 }, true],
  [{ gone: 3, of: 4 }, false],
  [{ gone: 50, of: 100 }, false],
  [{ gone: 51, of: 100 }, true],
  [{ gone: 100, of: 1000 }, false],
  [{ gone: 101, of: 1000 }, true],
])('of a sheet %o is a large fall: %s', (fall, large) => {
  expect(isLargeFall(fall, { share: 0.1, rows: 50 })).toBe(large)
})
