/**
 * Those who come and go in great numbers over a long time, each in a slot that is used again. A set or a map
 * would leave its old table behind whenever it makes room, and each table holds on to the next: what was in
 * one for a moment would become old with it, and wait for a collection of the whole heap.
 */
export interface Slots<T> {
  size(): number
  /** The slot that it is in from now on. */
  add(value: T): number
  /** False when it is no longer there. */
  remove(slot: number, value: T): boolean
  /** In no particular order. */
  each(look: (value: T) => void): void
}

export function createSlots<T extends object>(): Slots<T> {
  const held: (T | undefined)[] = []
  const free: number[] = []
  return {
    size: () => held.length - free.length,
    add(value) {
      const slot = free.pop() ?? held.length
      held[slot] = value
      return slot
    },
    remove(slot, value) {
      if (held[slot] !== value) return false
      held[slot] = undefined
      free.push(slot)
      return true
    },
    each(look) {
      for (const value of held) if (value !== undefined) look(value)
    },
  }
}
