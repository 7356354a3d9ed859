import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { createSlots, type Slots, whenAborted } from '../../src/core/waiting.ts'

it('a slot list reuses free slots, and removes a slot’s value only if it is still there', () => {
  const slots = createSlots<{ name: string }>()
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name })) as [Named, Named, Named]
  const first = slots.add(a)
  slots.add(b)
  expect(slots.remove(first, a)).toBe(true)
  expect(slots.add(c)).toBe(first)
  expect(slots.remove(first, a)).toBe(false)
  expect(slots.size()).toBe(2)
  expect(namesIn(slots)).toEqual(['b', 'c'])
})

it('a slot list never has more slots than there were values at one time', () => {
  const slots = createSlots<Named>()
  const seen = new Set<number>()
  for (let round = 0; round < 100; round++) {
    const three = ['a', 'b', 'c'].map((name) => ({ name }))
    const places = three.map((one) => slots.add(one))
    for (const place of places) seen.add(place)
    for (const [at, place] of places.entries())
      expect(slots.remove(place, three[at] as Named)).toBe(true)
  }
  expect(seen.size).toBe(3)
  expect(slots.size()).toBe(0)
  expect(namesIn(slots)).toEqual([])
})

it('a visit of a slot list skips values that are removed during the visit', () => {
  const slots = createSlots<Named>()
  const [a, b] = [{ name: 'a' }, { name: 'b' }] as [Named, Named]
  const places = new Map([a, b].map((one) => [one, slots.add(one)]))
  const seen: string[] = []
  slots.each(({ name }) => {
    seen.push(name)
    for (const [one, place] of places) slots.remove(place, one)
  })
  expect(seen).toEqual(['a'])
  expect(slots.size()).toBe(0)
})

it('an abort notifies every waiter that has not stopped, through one listener', () => {
  const { signal, abort } = controlled()
  const told: number[] = []
  const stops = [1, 2, 3].map((one) => whenAborted(signal, () => void told.push(one)))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  stops[1]?.()
  abort()
  expect(told).toEqual([1, 3])
})

it('the abort listener is removed when the last waiter stops, and added again for the next', () => {
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

it('a waiter may stop another waiter during the notification of an abort', () => {
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

interface Named {
  name: string
}

function namesIn(slots: Slots<Named>): string[] {
  const names: string[] = []
  slots.each(({ name }) => void names.push(name))
  return names.toSorted()
}

function controlled(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
