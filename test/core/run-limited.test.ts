import { describe, expect, it } from 'vitest'
import { runLimited } from '../../src/core/run-limited.ts'

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function* slowly(items: readonly number[], onEnd = () => {}): AsyncGenerator<number> {
  try {
    for (const item of items) {
      await tick()
      yield item
    }
  } finally {
    onEnd()
  }
}

describe('work on many items, a few at a time', () => {
  it.each([
    ['a list', [1, 2, 3, 4, 5, 6, 7]],
    ['an asynchronous source', slowly([1, 2, 3, 4, 5, 6, 7])],
  ])('is done once for each item of %s', async (_what, items) => {
    const done: number[] = []
    let [underWay, most] = [0, 0]
    await runLimited(items, 3, async (item) => {
      most = Math.max(most, ++underWay)
      for (let ticks = 0; ticks < 5; ticks++) await tick()
      underWay--
      done.push(item)
    })
    expect(done.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(most).toBe(3)
  })

  it('starts no item after a failure, and throws it when the running items have ended', async () => {
    const ended: number[] = []
    let closed = 0
    const items = slowly([1, 2, 3, 4, 5, 6], () => closed++)
    const work = runLimited(items, 2, async (item) => {
      if (item === 2) throw new Error('failed')
      await tick()
      await tick()
      await tick()
      ended.push(item)
    })
    await expect(work).rejects.toThrow('failed')
    expect(ended).toEqual([1])
    expect(closed).toBe(1)
  })

  it('throws if the source of the items fails', async () => {
    async function* failing(): AsyncGenerator<number> {
      yield 1
      await tick()
      throw new Error('no more')
    }
    const done: number[] = []
    const work = runLimited(failing(), 2, async (item) => void done.push(item))
    await expect(work).rejects.toThrow('no more')
    expect(done).toEqual([1])
  })
})
