import type { Clock } from '../../core/time/clock.ts'

/**
 * Until when the service wants no calls of a label. It is kept on the monotonic clock, because wall time may
 * be frozen; `untilMs` is wall time, as the service and the ledger state it.
 */
export interface RetryAt {
  extend(untilMs: number, scope: 'rate' | 'daily'): void
  /** Milliseconds until the end; 0 when there is none. */
  leftMs(scope: 'rate' | 'daily'): number
  /** Resolves when the retry time of the rate has come. */
  over(signal: AbortSignal | undefined): Promise<void>
}

export function createRetryAt(clock: Clock): RetryAt {
  const end = { rate: Number.NEGATIVE_INFINITY, daily: Number.NEGATIVE_INFINITY }
  const leftMs = (scope: 'rate' | 'daily'): number => Math.max(0, end[scope] - clock.elapsed())
  return {
    leftMs,
    extend(untilMs, scope) {
      const at = clock.elapsed() + Math.max(0, untilMs - clock.now())
      end[scope] = Math.max(end[scope], at)
    },
    async over(signal) {
      for (let ms = leftMs('rate'); ms > 0; ms = leftMs('rate')) await clock.sleep(ms, signal)
    },
  }
}
