/**
 * Calls back when a signal aborts, unless the answer is called before. All who wait for a signal share one
 * listener: the platform goes through all that a signal has whenever one is added or taken away.
 */
export function whenAborted(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {}
  const { callbacks, tell } = waitingFor(signal)
  const slot = callbacks.add(callback)
  if (callbacks.size() === 1) signal.addEventListener('abort', tell)
  return () => {
    const left = callbacks.remove(slot, callback)
    if (left && callbacks.size() === 0) signal.removeEventListener('abort', tell)
  }
}

interface Waiting {
  callbacks: Slots<() => void>
  tell(): void
}

function waitingFor(signal: AbortSignal): Waiting {
  const known = bySignal.get(signal)
  if (known !== undefined) return known
  const callbacks = createSlots<() => void>()
  const waiting: Waiting = { callbacks, tell: () => callbacks.each((callback) => callback()) }
  bySignal.set(signal, waiting)
  return waiting
}

const bySignal = new WeakMap<AbortSignal, Waiting>()

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
