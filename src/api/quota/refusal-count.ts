import type { Clock } from '../../core/time/clock.ts'
import { backoffMs } from '../answers/retry.ts'

/** Counts the refusals of a label that came one after the other. */
export interface RefusalCount {
  refused(): void
  answered(): void
  /** How much longer than asked to wait: more each time, so that processes don't come back all at once. */
  extraMs(): number
  /** None was followed by another answer, for so many or for so long that the next would not be either. */
  isHopeless(): boolean
}

export function createRefusalCount(clock: Clock, random: () => number): RefusalCount {
  let inSequence = 0
  let extraMs = 0
  let firstMs = 0
  return {
    refused() {
      if (inSequence++ === 0) firstMs = clock.elapsed()
      extraMs = backoffMs(inSequence, random) * EXTRA
    },
    answered() {
      inSequence = 0
    },
    extraMs: () => extraMs,
    isHopeless: () =>
      inSequence >= MOST_IN_SEQUENCE || (inSequence > 1 && clock.elapsed() - firstMs > LONGEST_MS),
  }
}

const EXTRA = 0.1
const MOST_IN_SEQUENCE = 20
const LONGEST_MS = 3_600_000
