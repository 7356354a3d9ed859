import { afterEach, expect, test } from 'vitest'
import { listenAtPoints, point } from '../../src/core/kill-point.ts'

afterEach(() => listenAtPoints(undefined))

test('without a listener a point answers nothing at all', () => {
  expect(point('commit:before')).toBeUndefined()
})

test('a listener hears each point by its name and can hold the code there', async () => {
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
