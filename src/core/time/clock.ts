/**
 * The one source of time. All code that reads the time, waits or measures uses a `Clock`, so that a test or
 * the demo can freeze the time and still pace real requests.
 */
export interface Clock {
  /** Wall time in epoch milliseconds, for rows, windows and token lifetimes. */
  now(): number
  /** Milliseconds since an arbitrary origin. Never decreases: for pacing and durations. */
  elapsed(): number
  /** Resolves after `ms` of elapsed time, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A time limit: calls `ring` after `ms` of elapsed time, unless the returned function is called before. */
  alarm(ms: number, ring: () => void): () => void
}

export const systemClock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: sleepReal,
  alarm: alarmReal,
}

/** Wall time is frozen at `epochMs`; elapsed time continues. The demo's clock. */
export function frozenClock(epochMs: number): Clock {
  return { ...systemClock, now: () => epochMs }
}

function sleepReal(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const until = performance.now() + ms
    let timer: NodeJS.Timeout
    // Node fires timers of 2^31 ms and more after 1 ms, so a long wait is cut into steps.
    const step = (): void => {
      const left = until - performance.now()
      if (left <= 0) {
        signal?.removeEventListener('abort', abort)
        resolve()
      } else timer = setTimeout(step, Math.min(left, MAX_TIMER_MS))
    }
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', abort, { once: true })
    step()
  })
}

function alarmReal(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, Math.min(ms, MAX_TIMER_MS))
  return () => clearTimeout(timer)
}

const MAX_TIMER_MS = 2 ** 31 - 1
