import { expect, it } from 'vitest'
import type { Stream } from '../../src/core/define/stream.ts'
import { phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { pagesOf, scaled, spread } from '../../src/sync/forecast.ts'

const token = { style: 'token', items: 'x', maxPageSize: 300, tokenErrorCodes: [] } as const
const listed = (paging: object): Pick<Stream, 'operation'> => ({
  operation: { ...phoneNumbers.operation, paging: { ...token, ...paging } },
})

it.each([
  ['is the last', { count: 7, total: undefined, isLast: true }, {}, [1, 7, false]],
  ['is empty and the last', { count: 0, total: 0, isLast: true }, {}, [1, 0, false]],
  ['has a total', { count: 300, total: 4_000, isLast: false }, {}, [14, 4_000, false]],
  [
    'is shorter than requested',
    { count: 100, total: 4_000, isLast: false },
    {},
    [40, 4_000, false],
  ],
  [
    'is empty and is followed by others',
    { count: 0, total: 600, isLast: false },
    {},
    [2, 600, false],
  ],
  [
    'has a next page and no total',
    { count: 300, total: undefined, isLast: false },
    {},
    [2, 300, true],
  ],
  ['has a total below its own count', { count: 300, total: 20, isLast: false }, {}, [2, 300, true]],
  [
    'has a total that counts something else',
    { count: 300, total: 900, isLast: false },
    { total: 'other' },
    [2, 300, true],
  ],
] as const)(
  'the number of calls for a list follows from a first page that %s',
  (_what, page, paging, said) => {
    const [calls, rows, atLeast] = said
    expect(pagesOf(listed(paging), page)).toEqual({ calls, rows, atLeast })
  },
)

it('a sample is spread evenly over the list and represents all of it', () => {
  expect(spread([1, 2, 3], 5)).toEqual([1, 2, 3])
  expect(spread([...Array(100).keys()], 5)).toEqual([10, 30, 50, 70, 90])
  expect(scaled({ calls: 10, rows: 50, atLeast: true }, 5, 40)).toEqual({
    calls: 80,
    rows: 400,
    atLeast: true,
  })
  expect(scaled({ calls: 0, rows: 0, atLeast: false }, 0, 0)).toMatchObject({ calls: 0 })
})
