import type { Clock } from '../core/clock.ts'
import type { Quota } from '../core/quota.ts'

/** Decides when the next call of a label may start, after the queue has let it through. */
export interface Pace {
  /** Waits for the call's turn. The answer is to be called when the request really goes out. */
  start(signal: AbortSignal | undefined): Promise<() => void>
  succeeded(): void
  refused(): void
  callsPerSecond(): number
}

/** How a known quota is cut for p-queue: so many starts in any window of this length. */
export interface RateWindow {
  cap: number
  intervalMs: number
}

/**
 * The service may count by fixed second, sliding window or token bucket. At most `cap` calls in any window
 * of its length satisfy all three. The headroom stretches the window rather than lessening the cap: a quota
 * of 1 has no half.
 */
export function rateWindow(quota: Quota, headroom: number): RateWindow | undefined {
  const [calls, perMs, marginMs] =
    quota.perSecond === undefined
      ? [quota.perMinute, 60_000, MINUTE_MARGIN_MS]
      : [quota.perSecond, 1_000, SECOND_MARGIN_MS]
  if (calls === undefined) return undefined
  const cap = Math.max(1, Math.floor(calls))
  const wholeMs = perMs * Math.max(1, 1 / calls) + marginMs
  return { cap, intervalMs: Math.ceil(wholeMs / (1 - headroom)) }
}

/**
 * The limiter counts a request when it comes in, the queue when the call starts; opening a connection lies
 * between. So a window is measured again here, from send to start, and a call that was sent late holds its
 * place longer.
 */
export function createWindowPace(window: RateWindow, clock: Clock): Pace {
  const sentAt: number[] = []
  let starts = 0
  return {
    async start(signal) {
      const place = starts++ % window.cap
      for (;;) {
        const waitMs =
          (sentAt[place] ?? Number.NEGATIVE_INFINITY) + window.intervalMs - clock.elapsed()
        if (waitMs <= 0) break
        await clock.sleep(waitMs, signal)
      }
      sentAt[place] = clock.elapsed()
      return () => {
        sentAt[place] = clock.elapsed()
      }
    },
    succeeded: () => {},
    refused: () => {},
    callsPerSecond: () => (window.cap * 1000) / window.intervalMs,
  }
}

/** Neither rate known nor to be learned: only the daily pool and the concurrency bound the label. */
export const freePace: Pace = {
  start: async () => () => {},
  succeeded: () => {},
  refused: () => {},
  callsPerSecond: () => Number.POSITIVE_INFINITY,
}

const SECOND_MARGIN_MS = 20
const MINUTE_MARGIN_MS = 500
