import { expect, it } from 'vitest'
import { latenessOf } from '../../../src/sync/run/count-days.ts'

const TODAY = 100
const FIRST = 60

/** The records that began on a day, and after how many days they were seen. */
type Seen = readonly [day: number, after: number, rows: number]

it.each<[string, readonly Seen[], number]>([
  ['no records', [], 0],
  ['a first load yesterday', [0, 1, 2, 3, 4].map((n) => [TODAY - 6 + n, 5 - n, 90]), 3],
  ['a first load weeks ago', [0, 1, 2, 3, 4].map((n) => [FIRST - 5 + n, 5 - n, 90]), 0],
  ['records first read weeks later', [[TODAY - 20, 18, 900]], 0],
  ['records present the next night', [[TODAY - 9, 1, 50]], 0],
  [
    'nine of ten records in time',
    [
      [TODAY - 9, 1, 90],
      [TODAY - 9, 5, 10],
    ],
    0,
  ],
  [
    'more than one of ten records three days late',
    [
      [TODAY - 9, 1, 89],
      [TODAY - 9, 5, 11],
    ],
    3,
  ],
  [
    'records that were late a month ago',
    [
      [TODAY - 30, 5, 900],
      [TODAY - 9, 1, 30],
    ],
    0,
  ],
  [
    'records two days late, after a first load',
    [
      [FIRST - 1, 1, 900],
      [TODAY - 9, 4, 30],
      [TODAY - 20, 11, 100],
    ],
    2,
  ],
])('the delay of a stream is computed from %s', (name, seen, late) => {
  const rows = seen.map(([day, after, many]) => ({ day, seenDay: day + after, rows: many }))
  const before = name.includes('first load') ? [] : [{ day: FIRST - 1, seenDay: FIRST, rows: 900 }]
  expect(latenessOf([...before, ...rows], TODAY)).toBe(late)
})
