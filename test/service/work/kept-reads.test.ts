import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../src/core/time/clock.ts'
import { markedRead, sharedRead } from '../../../src/service/work/kept-reads.ts'

describe('a shared read', () => {
  it('is done once for all who ask at the same time, and for 30 seconds after', async () => {
    const clock = manualClock(0)
    let reads = 0
    const read = sharedRead(clock, async () => {
      reads++
      await clock.sleep(1_000)
      return reads
    })
    const asked = [read(), read(), read()]
    await clock.advance(1_000)
    expect(await Promise.all(asked)).toEqual([1, 1, 1])
    await clock.advance(29_999)
    expect(await read()).toBe(1)
    await clock.advance(1)
    const again = read()
    await clock.advance(1_000)
    expect(await again).toBe(2)
  })

  it('is kept for longer the longer it took', async () => {
    const clock = manualClock(0)
    let reads = 0
    const read = sharedRead(clock, async () => {
      await clock.sleep(10_000)
      return ++reads
    })
    const first = read()
    await clock.advance(10_000)
    await first
    await clock.advance(199_999)
    expect(await read()).toBe(1)
    await clock.advance(1)
    const second = read()
    await clock.advance(10_000)
    expect(await second).toBe(2)
  })

  it('keeps no failure, and tells it to all who asked meanwhile', async () => {
    let works = false
    const read = sharedRead(manualClock(0), () =>
      works ? Promise.resolve('read') : Promise.reject(new Error('away')),
    )
    const failed = await Promise.allSettled([read(), read()])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    works = true
    expect(await read()).toBe('read')
  })
})

describe('a read with a mark', () => {
  it('is done again when the mark changes or it is too old, and not for an unknown mark', async () => {
    const clock = manualClock(0)
    const keep = markedRead<number>(clock)
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
