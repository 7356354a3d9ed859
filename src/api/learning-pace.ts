import type { Clock } from '../core/clock.ts'
import type { RateLabel } from '../core/operation.ts'
import { afterQuiet, afterRefusal, learningProfile, startLearning } from './learned-rate.ts'
import type { Pace } from './pace.ts'

export interface LearningPaceOptions {
  label: RateLabel
  clock: Clock
  /** The share of what is learned that is left to other apps. */
  headroom: number
  /** What an earlier process learned. */
  learned: number | undefined
  save(callsPerSecond: number): void
}

/**
 * Spaces the calls of a label evenly at the rate learned so far, and keeps what it learned for the next
 * start.
 */
export function createLearningPace(options: LearningPaceOptions): Pace {
  const { label, clock, learned, headroom, save } = options
  const profile = learningProfile(label)
  let rate = startLearning(profile, learned, clock.elapsed())
  let nextStartMs = Number.NEGATIVE_INFINITY
  let savedAtMs = clock.elapsed()
  let turn = Promise.resolve()
  let inUse = false

  const keep = (now: number): void => {
    savedAtMs = now
    save(rate.callsPerSecond)
  }
  return {
    async start(signal) {
      // One call waits for the next start at a time, so that each start is spaced by the rate of its moment.
      const ahead = turn
      let done = (): void => {}
      turn = new Promise((resolve) => {
        done = resolve
      })
      try {
        await ahead
        const waitMs = nextStartMs - clock.elapsed()
        // Only a rate that holds calls up is tested by their success.
        if (waitMs > 0) {
          inUse = true
          await clock.sleep(waitMs, signal)
        }
        // Timers wake late: a little of that is caught up with.
        const from = Math.max(nextStartMs, clock.elapsed() - CATCH_UP_MS)
        nextStartMs = from + 1000 / (rate.callsPerSecond * (1 - headroom))
        return () => {}
      } finally {
        done()
      }
    },
    succeeded() {
      const now = clock.elapsed()
      const before = rate
      if (inUse) rate = afterQuiet(profile, rate, now)
      if (rate !== before) inUse = false
      if (now - savedAtMs >= SAVE_EVERY_MS) keep(now)
    },
    refused() {
      const now = clock.elapsed()
      const before = rate
      rate = afterRefusal(profile, rate, now)
      if (rate !== before) keep(now)
    },
    callsPerSecond: () => rate.callsPerSecond * (1 - headroom),
  }
}

const SAVE_EVERY_MS = 30_000
const CATCH_UP_MS = 20
