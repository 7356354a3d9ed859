import type { Clock } from '../../core/time/clock.ts'
import type { RateFinder } from './rate-finder.ts'
import type { Place, WindowPlaces } from './window-places.ts'

/** Decides when the next call of a label may start, after the queue has let it through. */
export interface Pace {
  /** Waits for the call's turn. */
  start(signal: AbortSignal | undefined): Promise<Turn>
}

/** One call's turn. It ends in exactly one of the last four ways. */
export interface Turn {
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

export interface PaceOptions {
  clock: Clock
  /** What the service allows, where that is known. */
  places?: WindowPlaces
  /** How fast the label may go for all that its answers have shown. */
  finder: RateFinder
}

/** Starts calls in the order in which they came, each as soon as a place is free and the rate allows. */
export function createPace({ clock, places, finder }: PaceOptions): Pace {
  let nextStartMs = Number.NEGATIVE_INFINITY
  let ahead = Promise.resolve()

  const begin = (waited: boolean): Turn => {
    const nowMs = clock.elapsed()
    // Timers wake late: a little of that is caught up with.
    const fromMs = Math.max(nextStartMs, nowMs - CATCH_UP_MS)
    const spacingMs = finder.started(nowMs, waited)
    nextStartMs = fromMs + spacingMs
    const rest = (): void => {
      nextStartMs = Math.max(nextStartMs, clock.elapsed() + restMs(spacingMs))
    }
    return turnOf({ clock, finder, place: places?.take(nowMs), rest })
  }
  return {
    async start(signal) {
      // One call waits for its turn at a time, so that each is paced by the rate of its moment.
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
          const waitMs = Math.max(places?.waitMs(nowMs) ?? 0, nextStartMs - nowMs)
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

function turnOf({
  clock,
  finder,
  place,
  rest,
}: {
  clock: Clock
  finder: RateFinder
  place: Place | undefined
  rest: () => void
}): Turn {
  let sentAtMs = clock.elapsed()
  const ended = (tell: (sentAtMs: number) => void) => (): void => {
    place?.answered(clock.elapsed())
    tell(sentAtMs)
  }
  return {
    sent() {
      sentAtMs = clock.elapsed()
      place?.sent(sentAtMs)
      finder.sent(sentAtMs)
    },
    passed: ended(() => {}),
    refused: ended((atMs) => {
      place?.refused()
      finder.refused(atMs, clock.elapsed())
      rest()
    }),
    failed: ended(() => {}),
    giveBack: () => place?.giveBack(),
  }
}

/**
 * After a refusal. Where calls are far apart, hardly any has left a sliding window when the service's own
 * wait is over, and the next would be refused as well.
 */
function restMs(spacingMs: number): number {
  return Math.min(LONGEST_REST_MS, REST_SPACINGS * spacingMs)
}

const CATCH_UP_MS = 20
const REST_SPACINGS = 3
const LONGEST_REST_MS = 1_000
