import { describe, expect, it } from 'vitest'
import { createAlike, fromAllOver } from '../../src/archive/alike.ts'
import { TransportError } from '../../src/core/errors.ts'

const refused = new TransportError('x', false, { tried: 'a', came: 'HTTP 404', todo: 'look at it' })
const none = { stored: 0, failed: 1, last: refused, listed: false }
const some = { stored: 1, failed: 1, last: refused, listed: true }
const items = Array.from({ length: 100 }, (_, n) => n)

/** Fetches one item after the other: those that fail are given, the others are stored. */
function fetchAll(fails: (item: number) => boolean, seed = 1) {
  const alike = createAlike()
  const tried: number[] = []
  for (const item of fromAllOver(items, { doubtful: alike.doubtful, seed })) {
    if (alike.tripped() !== undefined) break
    tried.push(item)
    alike.note(fails(item) ? none : some)
  }
  return { tried, alike }
}

describe('files that fail one like the other', () => {
  it('end the fetching after a few, from all over, and say what came', () => {
    const { tried, alike } = fetchAll(() => true)
    expect(tried).toHaveLength(8)
    expect(Math.max(...tried)).toBeGreaterThan(50)
    expect(alike.tripped()?.message).toMatch(/HTTP 404.*look at it; no file is written off/s)
    expect(alike.nothingElse('list')).toBe(true)
    expect(alike.nothingElse('file')).toBe(true)
  })

  it.each([20, 60])('do not keep others from their turn: the first %i', (first) => {
    for (let seed = 1; seed < 20; seed++) {
      const { tried, alike } = fetchAll((item) => item < first, seed)
      expect(tried.toSorted((a, b) => a - b)).toEqual(items)
      expect(alike.nothingElse('file')).toBe(false)
    }
  })

  it('are no outage of the lists where one names its files, though nothing is stored', () => {
    const alike = createAlike()
    const full = { ...none, failed: 0, listed: true }
    for (let at = 0; at < 20; at++) alike.note(at % 7 === 6 ? full : none)
    expect(alike.tripped()).toBeUndefined()
    expect(alike.nothingElse('list')).toBe(false)
    expect(alike.nothingElse('file')).toBe(true)
  })

  it('end the fetching where lists are answered and none of their files is', () => {
    expect.assertions(2)
    const alike = createAlike()
    for (let at = 0; at < 8; at++) {
      if (at === 7) expect(alike.tripped()).toBeUndefined()
      alike.note({ ...none, listed: true })
    }
    expect(alike.tripped()?.message).toContain('HTTP 404')
  })

  it('keep the order as long as some come', () => {
    expect(fetchAll((item) => item % 3 > 0).tried).toEqual(items)
  })
})
