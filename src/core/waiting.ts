/**
 * Calls back when a signal aborts later, unless the returned function is called before. All waiters for a
 * signal share one listener, because the platform scans all of them whenever one is added or removed.
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
 * Stores many short-lived values over a long time in reusable slots. A set or map abandons its old table when
 * it grows, and each old table references the next one, so short-lived values would stay in memory until a
 * full garbage collection.
 */
export interface Slots<T> {
  size(): number
  /** Returns the value's slot. */
  add(value: T): number
  /** Returns false if the value is no longer there. */
  remove(slot: number, value: T): boolean
  /** Visits the values in no particular order. */
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
