import { expect, test } from 'vitest'
import { widestSpan } from '../../../src/core/time/widest-span.ts'

const [NINE, TEN] = ['2026-07-01T09:00:00Z', '2026-07-01T10:00:00Z']

test.each([
  ['both times', NINE, TEN, [NINE, TEN]],
  ['a start alone', NINE, null, [NINE, '2026-07-27T09:00:00Z']],
  ['an end alone', null, TEN, ['2026-06-05T10:00:00Z', TEN]],
  ['an end before the start', TEN, NINE, [TEN, '2026-07-27T10:00:00Z']],
  ['an end years away', NINE, '2099-01-01T00:00:00Z', [NINE, '2026-07-27T09:00:00Z']],
])(
  'the records of a parent with %s are limited to its times, and to 26 days',
  (_what, from, to, [fromText, toText]) => {
    const span = { fromMs: Date.parse(fromText ?? ''), toMs: Date.parse(toText ?? '') }
    expect(widestSpan(from, to)).toEqual(span)
  },
)

test('the records of a parent without times are not limited', () => {
  expect(widestSpan(null, null)).toBeUndefined()
})
