import { afterEach, expect, test } from 'vitest'
import { listenAtPoints, point } from '../../src/core/kill-point.ts'

afterEach(() => listenAtPoints(undefined))

test('does nothing without a listener', () => {
  expect(point('commit:before')).toBeUndefined()
})

test("calls the listener with each point's name and waits for it", async () => {
  const heard: string[] = []
  let go = (): void => {}
  listenAtPoints((name) => {
    heard.push(name)
    return name === 'fetch:before' ? new Promise((resolve) => (go = resolve)) : undefined
  })
  const work = (async () => {
    await point('fetch:before')
    heard.push('sent')
    await point('fetch:after')
  })()
  expect(heard).toEqual(['fetch:before'])
  go()
  await work
  expect(heard).toEqual(['fetch:before', 'sent', 'fetch:after'])
})
