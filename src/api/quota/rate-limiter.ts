import type { Clock } from '../../core/time/clock.ts'
import type { RateFinder } from './rate-finder.ts'
import type { WindowPermit, WindowPermits } from './window-permits.ts'

/** Decides when the next call of a label may start, after the queue has let it through. */
export interface RateLimiter {
  /** Waits until the call may start. */
  start(signal: AbortSignal | undefined): Promise<Permit>
}

/** One call's permit to start. It ends in exactly one of the last four ways. */
export interface Permit {
  /** The request goes out now. */
  sent(): void
  passed(): void
  /** The service said that it was one too many. */
  refused(): void
  /** Whether the service counted it is not known. */
  failed(): void
  /** No request was sent. */
  giveBack(): void
}

export interface RateLimiterOptions {
  clock: Clock
  /** What the service allows, where that is known. */
  permits?: WindowPermits
  /** How fast the label may go for all that its answers have shown. */
  finder: RateFinder
}

/** Starts calls in the order in which they came, each as soon as the windows and the rate allow. */
export function createRateLimiter({ clock, permits, finder }: RateLimiterOptions): RateLimiter {
  let nextStartMs = Number.NEGATIVE_INFINITY
  let ahead = Promise.resolve()

  const begin = (waited: boolean): Permit => {
    const nowMs = clock.elapsed()
    // Timers wake late: a little of that is caught up with.
    const fromMs = Math.max(nextStartMs, nowMs - CATCH_UP_MS)
    const spacingMs = finder.started(nowMs, waited)
    nextStartMs = fromMs + spacingMs
    const rest = (restMs: number): void => {
      nextStartMs = Math.max(nextStartMs, clock.elapsed() + restMs)
    }
    return permitOf({ clock, finder, inWindow: permits?.take(nowMs), rest })
  }
  return {
    async start(signal) {
      // One call waits at a time, so that each is limited by the rate of its moment.
      const before = ahead
      let done = (): void => {}
      ahead = new Promise((resolve) => {
        done = resolve
      })
      try {
        await before
        let waited = false
        for (;;) {
          const nowMs = clock.elapsed()
          const waitMs = Math.max(permits?.waitMs(nowMs) ?? 0, nextStartMs - nowMs)
          if (waitMs <= 0) return begin(waited)
          waited = true
          await clock.sleep(waitMs, signal)
        }
      } finally {
        done()
      }
    },
  }
}

function permitOf({
  clock,
  finder,
  inWindow,
  rest,
}: {
  clock: Clock
  finder: RateFinder
  inWindow: WindowPermit | undefined
  rest: (restMs: number) => void
}): Permit {
  let sentAtMs = clock.elapsed()
  const ended = (tell: (sentAtMs: number) => void) => (): void => {
    inWindow?.answered(clock.elapsed())
    tell(sentAtMs)
  }
  return {
    sent() {
      sentAtMs = clock.elapsed()
      inWindow?.sent(sentAtMs)
      finder.sent(sentAtMs)
    },
    passed: ended(() => {}),
    refused: ended((atMs) => rest(finder.refused(atMs, clock.elapsed()))),
    failed: ended(() => {}),
    giveBack: () => inWindow?.giveBack(),
  }
}

const CATCH_UP_MS = 20
