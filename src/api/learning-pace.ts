import type { Clock } from '../core/clock.ts'
import { afterQuiet, afterRefusal, startLearning } from './learned-rate.ts'
import type { Pace } from './pace.ts'

/** Spaces the calls of a label evenly at the rate learned so far. `save` keeps what was learned for the next start. */
export function createLearningPace(
  clock: Clock,
  learned: number | undefined,
  save: (callsPerSecond: number) => void,
): Pace {
  let rate = startLearning(learned, clock.elapsed())
  let nextStartMs = Number.NEGATIVE_INFINITY
  let savedAtMs = clock.elapsed()
  return {
    async start(signal) {
      const now = clock.elapsed()
      const mine = Math.max(now, nextStartMs)
      nextStartMs = mine + 1000 / rate.callsPerSecond
      if (mine > now) await clock.sleep(mine - now, signal)
      return () => {}
    },
    succeeded() {
      const now = clock.elapsed()
      rate = afterQuiet(rate, now)
      if (now - savedAtMs < SAVE_EVERY_MS) return
      savedAtMs = now
      save(rate.callsPerSecond)
    },
    refused() {
      rate = afterRefusal(rate, clock.elapsed())
      savedAtMs = clock.elapsed()
      save(rate.callsPerSecond)
    },
    callsPerSecond: () => rate.callsPerSecond,
  }
}

const SAVE_EVERY_MS = 30_000
