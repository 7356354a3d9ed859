import { expect, it } from 'vitest'
import { PageTokenError } from '../../../src/core/errors.ts'
import { endOf, type Hint, staysRefused } from '../../../src/sync/read/list-end.ts'

const REFUSED = new PageTokenError('page_token', { tried: 'GET /users', came: 'HTTP 400' })

/** A list that is read in several passes, each with the hint of the pass before. */
function list() {
  let hint: Hint = {}
  return {
    pageSize: () => hint.pageSize,
    /** The end of a pass that received `came` records in pages of `size`, of which `stray` are unusable. */
    pass(came: number, { size = came, stray = 0, total = -1 } = {}) {
      const largest = Math.min(size, came)
      const last = came % size === 0 ? largest : came % size
      const found = endOf(
        REFUSED,
        {
          received: came,
          quarantined: stray,
          serviceTotal: total < 0 ? undefined : total,
          seen: { largest, last },
        },
        hint,
      )
      hint = found.hint
      return found.end
    },
  }
}

it('a refused token ends a list that has reached its total', () => {
  expect(list().pass(25, { size: 10, total: 25 })).toBe('sure')
  expect(list().pass(20, { size: 10, total: 25 })).toBeUndefined()
})

it('a list without a total likely ends if passes with two page sizes end at the same record', () => {
  const one = list()
  expect(one.pass(7)).toBeUndefined()
  expect(one.pageSize()).toBe(6)
  expect(one.pass(7, { size: 6 })).toBe('likely')
})

it('a short last page does not prove the end, so a different page size is needed as well', () => {
  const one = list()
  expect(one.pass(25, { size: 10 })).toBeUndefined()
  expect(one.pageSize()).toBe(9)
  expect(one.pass(25, { size: 9 })).toBe('likely')
  const goesOn = list()
  expect(goesOn.pass(25, { size: 10 })).toBeUndefined()
  expect(goesOn.pass(23, { size: 9 })).toBeUndefined()
})

it('passes that end at different records, or with full pages, do not prove the end of a list', () => {
  const one = list()
  expect(one.pass(20, { size: 10 })).toBeUndefined()
  expect(one.pass(18, { size: 9 })).toBeUndefined()
  expect(one.pass(16, { size: 8 })).toBeUndefined()
})

it('an unusable record in only one of the two passes does not hide the end of a list', () => {
  const one = list()
  expect(one.pass(8, { stray: 1 })).toBeUndefined()
  expect(one.pageSize()).toBe(6)
  expect(one.pass(8, { size: 6, stray: 1 })).toBe('likely')
  const other = list()
  expect(other.pass(8, { stray: 1 })).toBeUndefined()
  expect(other.pass(7, { size: 6 })).toBe('likely')
})

it('a token that is always refused is a likely end, and one that later works is not', async () => {
  const answers = (...refusals: boolean[]) => {
    const left = [...refusals]
    return staysRefused(() => (left.shift() === true ? Promise.reject(REFUSED) : Promise.resolve()))
  }
  expect(await answers(true, true, true, true)).toBe(true)
  expect(await answers(true, true, true, false)).toBe(false)
  expect(await answers(false)).toBe(false)
  await expect(staysRefused(() => Promise.reject(new Error('other')))).rejects.toThrow('other')
})

it('a list of one record ends at its second refusal, and other errors end no list', () => {
  const one = list()
  expect(one.pass(1)).toBeUndefined()
  expect(one.pass(1)).toBe('likely')
  const pass = { received: 1, quarantined: 0, serviceTotal: undefined }
  const seen = { largest: 1, last: 1 }
  const hint = { refusedAt: 1 }
  expect(endOf(new Error('other'), { ...pass, seen }, hint)).toEqual({ hint })
})
