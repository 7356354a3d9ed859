import { describe, expect, it } from 'vitest'
import { createFileBreaker, inTurn } from '../../src/archive/file-breaker.ts'
import { TransportError } from '../../src/core/errors.ts'

const refused = new TransportError('x', false, { tried: 'a', came: 'HTTP 404', todo: 'look at it' })
const none = { stored: 0, failed: 1, last: refused }
const some = { stored: 1, failed: 1, last: refused }
const items = Array.from({ length: 100 }, (_, n) => n)

/** Fetches one item after the other, of which some fail; returns the tried ones. */
function fetchAll(fails: (item: number) => boolean, triesOf: (item: number) => number = () => 0) {
  const breaker = createFileBreaker()
  const tried: number[] = []
  for (const item of inTurn(items, { doubtful: breaker.doubtful, triesOf })) {
    if (breaker.tripped() !== undefined) break
    tried.push(item)
    breaker.note(fails(item) ? none : some)
  }
  return { tried, breaker }
}

describe('failing file downloads', () => {
  it('stop the downloads after eight attempts at both ends of the list if no file arrives', () => {
    const { tried, breaker } = fetchAll(() => true)
    expect(tried).toEqual([0, 1, 2, 99, 98, 97, 96, 95])
    expect(breaker.tripped()?.message).toMatch(/HTTP 404.*look at it; the files stay pending/s)
    expect(breaker.nothingCame()).toBe(true)
  })

  it.each([20, 60])('do not block the other files if they are the first %i', (first) => {
    const { tried, breaker } = fetchAll((item) => item < first)
    expect(tried.toSorted((a, b) => a - b)).toEqual(items)
    expect(breaker.nothingCame()).toBe(false)
  })

  it('do not change the order while other files arrive', () => {
    expect(fetchAll((item) => item % 3 > 0).tried).toEqual(items)
  })

  it('do not count as an outage if one file arrived', () => {
    const breaker = createFileBreaker()
    for (let at = 0; at < 9; at++) breaker.note(at === 4 ? some : none)
    expect(breaker.nothingCame()).toBe(false)
    expect(breaker.tripped()).toBeUndefined()
  })

  it('at both ends of the list do not block the other files for more than ten runs', () => {
    const tries = new Map<number, number>()
    const fetched = new Set<number>()
    for (let run = 0; run < 10; run++) {
      const { tried } = fetchAll(
        (item) => item < 30 || item >= 70,
        (item) => tries.get(item) ?? 0,
      )
      for (const item of tried) {
        tries.set(item, (tries.get(item) ?? 0) + 1)
        if (item >= 30 && item < 70) fetched.add(item)
      }
    }
    expect(fetched.size).toBe(40)
  })
})
