import { type Clock, systemClock } from '../../src/core/time/clock.ts'

export interface HastyClock extends Clock {
  /** How long each sleeper wanted to wait, in order. */
  sleeps: number[]
}

/** Sleeping moves both times on at once: tests see what would have been waited for, and wait for nothing. */
export function hastyClock(epochMs = Date.UTC(2026, 4, 4, 12)): HastyClock {
  const sleeps: number[] = []
  let aheadMs = 0
  const origin = systemClock.elapsed()
  const elapsed = (): number => systemClock.elapsed() - origin + aheadMs
  return {
    sleeps,
    // Limits guard real exchanges, so they are real.
    alarm: systemClock.alarm,
    now: () => Math.floor(epochMs + elapsed()),
    elapsed,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      sleeps.push(ms)
      aheadMs += Math.max(0, ms)
      await new Promise(setImmediate)
      signal?.throwIfAborted()
    },
  }
}
