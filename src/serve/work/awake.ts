import type { Clock } from '../../core/time/clock.ts'

/**
 * Since when the process has been able to work. What was due before is tried before it is called late.
 */
export interface Awake {
  /** In epoch milliseconds. Called every few minutes: where wall time leapt meanwhile, the machine slept. */
  since(): number
  /** It cannot work, or could not until now, as while its database is away. */
  restart(): void
}

export function trackAwake({ now }: Pick<Clock, 'now'>): Awake {
  let sinceMs = now()
  let seenMs = sinceMs
  return {
    since() {
      const nowMs = now()
      if (nowMs - seenMs > LEAP_MS) sinceMs = nowMs
      seenMs = nowMs
      return sinceMs
    },
    restart() {
      sinceMs = seenMs = now()
    },
  }
}

/** Twice as long as between two calls of a service that looks for due work as seldom as it may. */
const LEAP_MS = 600_000
