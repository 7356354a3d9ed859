import { describe, expect, it } from 'vitest'
import { cachedInRounds, cachedUntilMarked } from '../../../src/serve/health/cached-reads.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

const SECOND = 1_000
const MINUTE = 60_000

/** Rounds that take this long each. A round returns its number; the rounds in `fails` fail. */
function rounds({ takesMs, fails = [] }: { takesMs: number; fails?: number[] }) {
  const clock = manualClock(0)
  const stop = new AbortController()
  let begun = 0
  const ask = cachedInRounds({ clock, signal: stop.signal }, async () => {
    const round = ++begun
    if (takesMs > 0) await clock.sleep(takesMs)
    if (fails.includes(round)) throw new Error('away')
    return round
  })
  return { clock, stop, ask, begun: () => begun }
}

describe('a shared read of the status', () => {
  it('is awaited only until the first result; later callers get the previous result', async () => {
    const { clock, ask, begun } = rounds({ takesMs: SECOND })
    const asked = Promise.all([ask(), ask()])
    await clock.advance(SECOND)
    expect(await asked).toEqual([
      { value: 1, ageMs: SECOND },
      { value: 1, ageMs: SECOND },
    ])
    await clock.advance(30_500)
    expect([await ask(), begun()]).toEqual([{ value: 1, ageMs: 31_500 }, 2])
    await clock.advance(SECOND)
    expect(await ask()).toEqual({ value: 2, ageMs: 1_500 })
  })

  it.each([
    [0, 30],
    [5, 40],
    [15, 60],
  ])('that takes %i seconds returns no result older than %i seconds', async (takes, oldest) => {
    const { clock, ask } = rounds({ takesMs: takes * SECOND })
    void ask()
    await clock.advance(takes * SECOND)
    const ages: number[] = []
    for (let at = 0; at < 300; at++) {
      ages.push((await ask())?.ageMs ?? Number.POSITIVE_INFINITY)
      await clock.advance(SECOND)
    }
    expect(Math.max(...ages)).toBeLessThanOrEqual(oldest * SECOND)
    expect(Math.max(...ages)).toBeGreaterThan((oldest - 2) * SECOND)
  })

  it('pauses as long as the read took, if that is longer than the interval', async () => {
    const { clock, ask, begun } = rounds({ takesMs: MINUTE })
    void ask()
    await clock.advance(MINUTE)
    await clock.advance(MINUTE - 1)
    expect(begun()).toBe(1)
    await clock.advance(1)
    expect(begun()).toBe(2)
  })

  it('reports after eight seconds that it has no result yet, and continues', async () => {
    const { clock, ask, begun } = rounds({ takesMs: MINUTE })
    const first = ask()
    await clock.advance(8 * SECOND)
    expect(await first).toBeUndefined()
    await clock.advance(52 * SECOND)
    expect([await ask(), begun()]).toEqual([{ value: 1, ageMs: MINUTE }, 1])
  })

  it('stops repeating ten minutes after the last caller, and then returns no old result', async () => {
    const { clock, ask, begun } = rounds({ takesMs: 0 })
    await ask()
    await clock.advance(10 * MINUTE - 1)
    expect(begun()).toBe(20)
    await clock.advance(60 * MINUTE)
    expect(begun()).toBe(20)
    expect(await ask()).toEqual({ value: 21, ageMs: 0 })
  })

  it('does not cache a failure, and passes it to all waiting callers', async () => {
    const { clock, ask } = rounds({ takesMs: 1, fails: [1, 3] })
    const failed = Promise.allSettled([ask(), ask()])
    await clock.advance(1)
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const second = ask()
    await clock.advance(1)
    expect(await second).toMatchObject({ value: 2 })
    await clock.advance(30 * SECOND + 1)
    const fourth = ask()
    await clock.advance(1)
    expect(await fourth).toMatchObject({ value: 4 })
  })

  it('stops repeating when its signal aborts', async () => {
    const { clock, stop, ask, begun } = rounds({ takesMs: 0 })
    await ask()
    stop.abort()
    await clock.advance(MINUTE)
    expect(begun()).toBe(1)
  })
})

describe('a read with a mark', () => {
  it('is repeated if its mark changes or it is too old, but not if the mark is unknown', async () => {
    const clock = manualClock(0)
    const keep = cachedUntilMarked<number>(clock)
    let reads = 0
    const read = (mark: string | undefined, longestMs: number) =>
      keep({ mark, longestMs }, () => Promise.resolve(++reads))
    expect(await read('1', 100)).toBe(1)
    expect(await read('1', 100)).toBe(1)
    expect(await read(undefined, 100)).toBe(1)
    expect(await read('2', 100)).toBe(2)
    await clock.advance(100)
    expect(await read('2', 100)).toBe(3)
    await clock.advance(50)
    expect(await read(undefined, 50)).toBe(4)
    expect(await read('2', 100)).toBe(5)
  })
})
