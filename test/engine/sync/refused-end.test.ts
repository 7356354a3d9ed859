import { expect, it } from 'vitest'
import { PageTokenError } from '../../../src/core/errors/errors.ts'
import { newReading, type SliceReading } from '../../../src/engine/run/slice-reading.ts'
import { endOf, staysRefused } from '../../../src/engine/sync/refused-end.ts'

const REFUSED = new PageTokenError('page_token', { tried: 'GET /users', came: 'HTTP 400' })

function reading(): SliceReading {
  const slice = { request: { slice: 'all', args: {} } } as unknown as SliceReading['slice']
  return newReading(slice)
}

/** A pass that showed so many records by pages of this size, of which some cannot be used. */
function pass(of: SliceReading, came: number, { size = came, stray = 0, total = -1 } = {}) {
  of.received = came
  of.quarantined = stray
  of.serviceTotal = total < 0 ? undefined : total
  const largest = Math.min(size, came)
  return endOf(REFUSED, of, { largest, last: came % size === 0 ? largest : came % size })
}

it('a refused token ends a list that came to its total in several pages, at once', () => {
  expect(pass(reading(), 25, { size: 10, total: 25 })).toBe('sure')
  expect(pass(reading(), 20, { size: 10, total: 25 })).toBeUndefined()
})

it('without a total it takes two passes that end at the same place, cut otherwise', () => {
  const list = reading()
  expect(pass(list, 7)).toBeUndefined()
  expect(list.pageSize).toBe(6)
  expect(pass(list, 7, { size: 6 })).toBe('likely')
})

it('a short last page may be filtered, so that it is cut otherwise as well', () => {
  const list = reading()
  expect(pass(list, 25, { size: 10 })).toBeUndefined()
  expect(list.pageSize).toBe(9)
  expect(pass(list, 25, { size: 9 })).toBe('likely')
  const goesOn = reading()
  expect(pass(goesOn, 25, { size: 10 })).toBeUndefined()
  expect(pass(goesOn, 23, { size: 9 })).toBeUndefined()
})

it('another place, or full pages alone, are no end', () => {
  const list = reading()
  expect(pass(list, 20, { size: 10 })).toBeUndefined()
  expect(pass(list, 18, { size: 9 })).toBeUndefined()
  expect(pass(list, 16, { size: 8 })).toBeUndefined()
})

it('what cannot be used may stand in one pass and not in the next', () => {
  const list = reading()
  expect(pass(list, 8, { stray: 1 })).toBeUndefined()
  expect(list.pageSize).toBe(6)
  expect(pass(list, 8, { size: 6, stray: 1 })).toBe('likely')
  const other = reading()
  expect(pass(other, 8, { stray: 1 })).toBeUndefined()
  expect(pass(other, 7, { size: 6 })).toBe('likely')
})

it('a likely end is one where the token is refused again and again, and none where it passes', async () => {
  const answers = (...refusals: boolean[]) => {
    const left = [...refusals]
    return staysRefused(() => (left.shift() === true ? Promise.reject(REFUSED) : Promise.resolve()))
  }
  expect(await answers(true, true, true, true)).toBe(true)
  expect(await answers(true, true, true, false)).toBe(false)
  expect(await answers(false)).toBe(false)
  await expect(staysRefused(() => Promise.reject(new Error('other')))).rejects.toThrow('other')
})

it('a list of one record ends at its second refusal, and other errors end none', () => {
  const list = reading()
  expect(pass(list, 1)).toBeUndefined()
  expect(pass(list, 1)).toBe('likely')
  expect(endOf(new Error('other'), list, { largest: 1, last: 1 })).toBeUndefined()
})
