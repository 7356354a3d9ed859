import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { whenAborted } from '../../src/core/when-aborted.ts'

it('tells all who wait, and nobody who has stopped, over one listener', () => {
  const { signal, abort } = controlled()
  const told: number[] = []
  const stops = [1, 2, 3].map((one) => whenAborted(signal, () => void told.push(one)))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  stops[1]?.()
  abort()
  expect(told).toEqual([1, 3])
})

it('leaves no listener when the last has stopped, and listens again for the next', () => {
  const { signal, abort } = controlled()
  const told: string[] = []
  const stop = whenAborted(signal, () => void told.push('first'))
  stop()
  stop()
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  whenAborted(signal, () => void told.push('second'))
  abort()
  expect(told).toEqual(['second'])
})

it('lets one stop another while all are told', () => {
  const { signal, abort } = controlled()
  const told: string[] = []
  let stop = (): void => {}
  whenAborted(signal, () => {
    told.push('first')
    stop()
  })
  stop = whenAborted(signal, () => void told.push('second'))
  abort()
  expect(told).toEqual(['first'])
})

function controlled(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
