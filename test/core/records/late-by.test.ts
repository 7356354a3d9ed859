import { expect, it } from 'vitest'
import { lateBy } from '../../../src/core/records/late-by.ts'

it.each<[string, [number | null, number][], number | undefined]>([
  ['nothing new', [], undefined],
  ['the first read', [[null, 900]], undefined],
  ['what was read for the first time weeks later', [[20, 900]], undefined],
  ['records that are there the next night', [[0, 50]], 0],
  [
    'all but one of ten in time',
    [
      [0, 90],
      [3, 10],
    ],
    0,
  ],
  [
    'more than one of ten three days late',
    [
      [0, 89],
      [3, 11],
    ],
    3,
  ],
  [
    'records that come two days late, after a first read',
    [
      [null, 900],
      [2, 30],
      [9, 100],
    ],
    2,
  ],
])('finds how late records come by %s', (_name, days, late) => {
  expect(lateBy(days.map(([lateDays, rows]) => ({ lateDays, rows })))).toBe(late)
})
