/** Refusals that come whatever the rate is. They are calls to repeat, and no reason to go slower. */
export interface ChanceRefusals {
  sent(): void
  /** One more came: whether it is one of these, and how many calls were sent since the last refusal. */
  refused(): { expected: boolean; calls: number }
  /** So many of all calls are refused by chance. */
  found(share: number): void
}

export function createChanceRefusals(): ChanceRefusals {
  let share = 0
  /** So many more may come before the rate is to blame again. */
  let credit = 0
  let calls = 0
  return {
    sent() {
      calls++
      if (share * calls > FORGOTTEN) share = credit = 0
      credit = Math.min(MOST_CREDIT, credit + Math.min(MOST_EARNED, share * EARNED))
    },
    refused() {
      const expected = credit >= 1
      if (expected) credit--
      const since = calls
      calls = 0
      return { expected, calls: since }
    },
    found(ofAll) {
      share = ofAll
      credit = MOST_CREDIT
    },
  }
}

/** A share is an estimate by few refusals: it may be larger, and some come sooner than on average. */
const EARNED = 1.5
/** If more than these are refused, a limit is at work as well. */
const MOST_EARNED = 0.7
const MOST_CREDIT = 4
/** In times of the calls that came between two refusals. */
const FORGOTTEN = 10
