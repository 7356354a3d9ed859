import { expect, it } from 'vitest'
import { lateBy } from '../../../src/core/records/late-by.ts'

it.each<[string, [number | null, number][], number | undefined]>([
  ['no new records', [], undefined],
  ['a first read', [[null, 900]], undefined],
  ['records first read weeks later', [[20, 900]], undefined],
  ['records present the next night', [[0, 50]], 0],
  [
    'nine of ten records in time',
    [
      [0, 90],
      [3, 10],
    ],
    0,
  ],
  [
    'more than one of ten records three days late',
    [
      [0, 89],
      [3, 11],
    ],
    3,
  ],
  [
    'records two days late, after a first read',
    [
      [null, 900],
      [2, 30],
      [9, 100],
    ],
    2,
  ],
])('the delay of a stream is computed from %s', (_name, days, late) => {
  expect(lateBy(days.map(([lateDays, rows]) => ({ lateDays, rows })))).toBe(late)
})
