import type { Clock } from '../../src/core/time/clock.ts'

export interface ManualClock extends Clock {
  /** Advances both times and wakes every sleeper whose time has come, in order. */
  advance(ms: number): Promise<void>
}

/** A clock that moves only by `advance`, because tests never wait for real time. */
export function manualClock(epochMs: number): ManualClock {
  let elapsedMs = 0
  const sleepers: { at: number; wake: () => void }[] = []
  return {
    now: () => epochMs + elapsedMs,
    elapsed: () => elapsedMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const sleeper = { at: elapsedMs + Math.max(0, ms), wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener('abort', () => {
          const at = sleepers.indexOf(sleeper)
          if (at >= 0) sleepers.splice(at, 1)
          reject(signal.reason as Error)
        })
      }),
    alarm(ms, ring) {
      const sleeper = { at: elapsedMs + Math.max(0, ms), wake: ring }
      sleepers.push(sleeper)
      return () => {
        const at = sleepers.indexOf(sleeper)
        if (at >= 0) sleepers.splice(at, 1)
      }
    },
    async advance(ms) {
      const target = elapsedMs + ms
      for (;;) {
        await new Promise(setImmediate)
        const next = sleepers.filter((s) => s.at <= target).sort((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        sleepers.splice(sleepers.indexOf(next), 1)
        elapsedMs = Math.max(elapsedMs, next.at)
        next.wake()
      }
      elapsedMs = target
      await new Promise(setImmediate)
    },
  }
}
