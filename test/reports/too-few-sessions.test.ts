import { expect, it } from 'vitest'
import { isVague } from '../../reports/session-quality/kind-shares.ts'

it.each([
  ['a good week of 23 sessions', 0, 23, false],
  ['a bad week of as many', 2, 23, false],
  ['a good week of 19', 0, 19, true],
  ['a bad week of 19', 2, 19, true],
  ['five sessions that are all bad', 5, 5, false],
])(
  'a share is “too few” by its number of sessions, whether they are good or bad: %s',
  (_what, hits, of, vague) => {
    expect(isVague({ hits, of })).toBe(vague)
  },
)
