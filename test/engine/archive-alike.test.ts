import { describe, expect, it } from 'vitest'
import { TransportError } from '../../src/core/errors/errors.ts'
import { createAlike, fromAllOver } from '../../src/engine/archive/alike.ts'

const refused = new TransportError('x', false, { tried: 'a', came: 'HTTP 404', todo: 'look at it' })
const none = { stored: 0, failed: 1, last: refused }
const some = { stored: 1, failed: 1, last: refused }
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
    expect(alike.nothingElse()).toBe(true)
  })

  it.each([20, 60])('do not keep others from their turn: the first %i', (first) => {
    for (let seed = 1; seed < 20; seed++) {
      const { tried, alike } = fetchAll((item) => item < first, seed)
      expect(tried.toSorted((a, b) => a - b)).toEqual(items)
      expect(alike.nothingElse()).toBe(false)
    }
  })

  it('keep the order as long as some come', () => {
    expect(fetchAll((item) => item % 3 > 0).tried).toEqual(items)
  })
})
