import type { Observer } from '../../core/define/observer.ts'
import type { RateLabel } from '../../core/define/operation.ts'
import type { LabelState, QuotaLedger } from '../../core/define/ports.ts'
import { RateLimitedError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { Clock } from '../../core/time/clock.ts'
import { backoffMs } from '../answers/retry.ts'
import type { RateFinder } from './rate-finder.ts'
import type { WindowPermit, WindowPermits } from './sent-calls.ts'

/** Decides when the next call of a label, taken from the queue, may start. */
export interface RateLimiter {
  /** Waits until the call may start. */
  start(signal: AbortSignal | undefined): Promise<Permit>
}

/** One call's permit to start. The call ends it by exactly one of the last four methods. */
export interface Permit {
  /** The request goes out now. */
  sent(): void
  passed(): void
  /** The service refused the call by its rate limit. */
  refused(): void
  /** The call failed, and the service may have counted it. */
  failed(): void
  /** No request was sent. */
  giveBack(): void
}

interface RateLimiterOptions {
  clock: Clock
  /** The service's quota, if it is known. */
  permits?: WindowPermits
  /** Returns the wait between two calls, by the known rate or the one learned from answers. */
  finder: RateFinder
}

/** Starts calls in the order in which they came, each as soon as the windows and the rate allow. */
export function createRateLimiter({ clock, permits, finder }: RateLimiterOptions): RateLimiter {
  let nextStartMs = Number.NEGATIVE_INFINITY
  let ahead = Promise.resolve()

  const begin = (waited: boolean): Permit => {
    const nowMs = clock.elapsed()
    // Timers fire late; up to `CATCH_UP_MS` of the delay is recovered.
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
      // Only one call waits at a time, so that each uses the current rate.
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

type Scope = 'rate' | 'daily'

/**
 * The time before which the service accepts no calls of a label. It applies to all processes of the account,
 * also after a restart.
 */
export interface LabelHold {
  /** Reads the label's state from the ledger. */
  read(): Promise<LabelState>
  /** Reads the state again at most every `REFRESH_MS`: another process may have been refused meanwhile. */
  refresh(): Promise<void>
  /** Resolves when the retry time of the rate limit has passed. */
  over(signal: AbortSignal | undefined): Promise<void>
  isOver(): boolean
  throwIfExhausted(): void
  /** Call it after a 429 of this label. */
  refused(untilMs: number, scope: Scope): Promise<void>
  /** Another label's refusal shows that the pool's daily quota is exhausted. */
  exhaust(untilMs: number): Promise<void>
  /** A call was answered without a 429. */
  answered(): void
  /** True if 20 refusals in a row, or an hour of them, show that the next call would be refused too. */
  isHopeless(): boolean
}

interface LabelHoldOptions {
  label: RateLabel
  queue: { pause(): unknown; start(): unknown }
  /** Rejects the calls that wait in the queue. */
  dismiss(reason: Error): void
  closing: AbortSignal
  ledger: QuotaLedger
  clock: Clock
  random: () => number
  observer: Observer
}

/**
 * A rate 429 pauses the queue until the retry time; a daily 429 rejects the waiting calls. The ends of pauses
 * are stored in monotonic time, because the demo freezes wall time; `untilMs` is wall time, as in the
 * service's answer and the ledger.
 */
export function createLabelHold(options: LabelHoldOptions): LabelHold {
  const { label, queue, ledger, clock, random, observer } = options
  const end = { rate: Number.NEGATIVE_INFINITY, daily: Number.NEGATIVE_INFINITY }
  const refusals = countRefusals(clock, random)
  let paused = false
  let readAtMs = clock.elapsed()
  const leftMs = (scope: Scope): number => Math.max(0, end[scope] - clock.elapsed())
  const over = async (signal: AbortSignal | undefined): Promise<void> => {
    for (let ms = leftMs('rate'); ms > 0; ms = leftMs('rate')) await clock.sleep(ms, signal)
  }
  const pause = async (): Promise<void> => {
    paused = true
    queue.pause()
    // The queue is aborted only when it closes, which also rejects all waiting calls.
    await over(options.closing).catch(() => {})
    paused = false
    queue.start()
  }
  const extend = (untilMs: number, scope: Scope): void => {
    if (untilMs <= clock.now()) return
    end[scope] = Math.max(end[scope], clock.elapsed() + untilMs - clock.now())
    if (scope === 'daily') options.dismiss(exhausted(label, clock.now() + leftMs('daily')))
    else if (!paused) void pause()
  }
  const read = async (): Promise<LabelState> => {
    readAtMs = clock.elapsed()
    const state = await ledger.readLabel(label)
    if (state.reason !== undefined) extend(state.retryAtMs, state.reason)
    return state
  }
  return {
    read,
    over,
    isOver: () => leftMs('rate') === 0 && leftMs('daily') === 0,
    async refresh() {
      if (clock.elapsed() - readAtMs >= REFRESH_MS) await read()
    },
    throwIfExhausted() {
      const exhaustedMs = leftMs('daily')
      if (exhaustedMs > 0) throw exhausted(label, clock.now() + exhaustedMs)
    },
    async refused(untilMs, scope) {
      // Calls in flight at the same time are refused together, which counts as one refusal.
      if (leftMs('rate') === 0) refusals.refused()
      const at = scope === 'daily' ? untilMs : untilMs + refusals.extraMs()
      extend(at, scope)
      const ms = Math.round(at - clock.now())
      observer.event('governor.held', { label, reason: scope, wait_ms: ms })
      await point('label:holding')
      await ledger.holdLabel(label, at, scope)
      await point('label:held')
    },
    async exhaust(untilMs) {
      extend(untilMs, 'daily')
      await ledger.holdLabel(label, untilMs, 'daily')
    },
    answered: refusals.answered,
    isHopeless: refusals.isHopeless,
  }
}

function countRefusals(clock: Clock, random: () => number) {
  let inSequence = 0
  let extraMs = 0
  let firstMs = 0
  return {
    refused(): void {
      if (inSequence++ === 0) firstMs = clock.elapsed()
      extraMs = backoffMs(inSequence, random) * EXTRA
    },
    answered(): void {
      inSequence = 0
    },
    /** An extra random wait, longer after more refusals, so that processes don't all return at once. */
    extraMs: () => extraMs,
    isHopeless: () =>
      inSequence >= MOST_IN_SEQUENCE || (inSequence > 1 && clock.elapsed() - firstMs > LONGEST_MS),
  }
}

function exhausted(label: RateLabel, untilMs: number): RateLimitedError {
  return new RateLimitedError('daily', untilMs, {
    tried: `Sending a ${label} call`,
    came: 'the service reported that the daily quota of this rate label is exhausted',
    todo: 'run again after 00:00 UTC; that run continues where this one stopped',
  })
}

const CATCH_UP_MS = 20

/** How long another process's 429 may go unnoticed. Each check is one small query, shared by all calls. */
const REFRESH_MS = 2_000
const EXTRA = 0.1
const MOST_IN_SEQUENCE = 20
const LONGEST_MS = 3_600_000
