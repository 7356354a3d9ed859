import { type Clock, systemClock } from '../../src/core/time/clock.ts'

export interface HastyClock extends Clock {
  /** How long each sleep was to last, in order. */
  sleeps: number[]
}

/** A clock whose sleeps advance both times without waiting. Tests read the requested waits from `sleeps`. */
export function hastyClock(epochMs = Date.UTC(2026, 4, 4, 12)): HastyClock {
  const sleeps: number[] = []
  let aheadMs = 0
  const origin = systemClock.elapsed()
  const elapsed = (): number => systemClock.elapsed() - origin + aheadMs
  return {
    sleeps,
    // Alarms limit real requests, so they use real time.
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
