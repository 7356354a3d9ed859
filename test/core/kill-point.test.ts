import { afterEach, expect, test } from 'vitest'
import { listenAtPoints, point } from '../../src/core/kill-point.ts'

afterEach(() => listenAtPoints(undefined))

test('a failpoint does nothing without a listener', () => {
  expect(point('commit:before')).toBeUndefined()
})

test('a failpoint calls the listener with its name and waits for the listener', async () => {
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
