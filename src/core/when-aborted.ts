/**
 * Calls back when a signal aborts, unless the answer is called before. All who wait for a signal share one
 * listener: the platform goes through all that a signal has whenever one is added or taken away.
 */
export function whenAborted(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {}
  const waiting = waitingFor(signal)
  waiting.callbacks.add(callback)
  if (waiting.callbacks.size === 1) signal.addEventListener('abort', waiting.tell)
  return () => {
    const left = waiting.callbacks.delete(callback)
    if (left && waiting.callbacks.size === 0) signal.removeEventListener('abort', waiting.tell)
  }
}

interface Waiting {
  callbacks: Set<() => void>
  tell(): void
}

function waitingFor(signal: AbortSignal): Waiting {
  const known = bySignal.get(signal)
  if (known !== undefined) return known
  const callbacks = new Set<() => void>()
  const waiting: Waiting = {
    callbacks,
    tell() {
      for (const callback of callbacks) callback()
    },
  }
  bySignal.set(signal, waiting)
  return waiting
}

const bySignal = new WeakMap<AbortSignal, Waiting>()
