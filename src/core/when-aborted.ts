import { createSlots, type Slots } from './slot-pool.ts'

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
