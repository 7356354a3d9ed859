import { expect, it } from 'vitest'
import { createSlots, type Slots } from '../../src/core/slot-pool.ts'

it('uses a slot again, and knows who is in it', () => {
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

it('never grows beyond how many were in at once', () => {
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

it('lets whoever is looked at leave, and take others along', () => {
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

interface Named {
  name: string
}

function namesIn(slots: Slots<Named>): string[] {
  const names: string[] = []
  slots.each(({ name }) => void names.push(name))
  return names.toSorted()
}
