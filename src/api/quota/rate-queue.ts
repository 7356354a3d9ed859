import type { Observer } from '../../core/define/observer.ts'
import type { RateLabel } from '../../core/define/operation.ts'
import type { LabelState, QuotaLedger } from '../../core/define/ports.ts'
import { CallsheetError, RateLimitedError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { DailyPool } from './daily-pool.ts'
import type { Permit, RateLimiter } from './rate-limiter.ts'
import { createRefusalCount, type RefusalCount } from './refusal-count.ts'
import { createRetryAt, type RetryAt } from './retry-at.ts'
import { type CallQueue, createWaitingCalls } from './waiting-calls.ts'

export interface LabelStats {
  requests: number
  rateLimited: number
  /** Calls of the label's pool today, by all processes of the account as far as known here. */
  spentToday: number
  dailyLimit: number | undefined
}

export interface RateQueueOptions {
  label: RateLabel
  queue: CallQueue
  /** Made once it is known what was learned before. */
  limiter: (learned: number | undefined) => RateLimiter
  pool: DailyPool
  ledger: QuotaLedger
  clock: Clock
  random: () => number
  observer: Observer
}

export interface RateQueue {
  run<T>(signal: AbortSignal | undefined, task: (sent: () => void) => Promise<T>): Promise<T>
  /** After a 429 of this label. */
  hold(untilMs: number, scope: 'rate' | 'daily'): Promise<void>
  /** No call was answered otherwise for so many refusals, or for so long, that none will be. */
  isHopeless(): boolean
  /** The pool's daily quota is exhausted, as another label has shown. */
  exhaust(untilMs: number): Promise<void>
  stats(): LabelStats
  close(): void
}

/** The queue of one rate label of an account. It heeds its rate limiter, and the retry time after a 429. */
export function createRateQueue(options: RateQueueOptions): RateQueue {
  const { label, queue, pool, ledger, clock } = options
  const closing = new AbortController()
  const waiting = createWaitingCalls(queue)
  const retryAt = createRetryAt(clock)
  const counts = { requests: 0, rateLimited: 0 }
  const refusals = createRefusalCount(clock, options.random)
  const extend = pauseOf({ ...options, waiting, retryAt, closing: closing.signal })
  const state = watchState(options, extend)
  const begin = once(async () => options.limiter((await state.read()).learnedCallsPerSecond))

  return {
    async run(signal, task) {
      const limiter = await begin()
      await state.refresh()
      throwIfExhausted(options, retryAt)
      signal?.throwIfAborted()
      await pool.take()
      const send = async () => {
        const permit = await nextPermit(options, { limiter, retryAt, signal })
        counts.requests++
        return await usePermit(permit, task, refusals)
      }
      return waiting.enter({ signal, task: send, onLeft: pool.putBack })
    },
    async hold(untilMs, scope) {
      counts.rateLimited++
      // Calls that were under way together are refused together, which is one refusal.
      if (retryAt.leftMs('rate') === 0) refusals.refused()
      const at = scope === 'daily' ? untilMs : untilMs + refusals.extraMs()
      extend(at, scope)
      const ms = Math.round(at - clock.now())
      options.observer.event('governor.held', { label, reason: scope, wait_ms: ms })
      await point('label:holding')
      await ledger.holdLabel(label, at, scope)
      await point('label:held')
    },
    isHopeless: refusals.isHopeless,
    async exhaust(untilMs) {
      extend(untilMs, 'daily')
      await ledger.holdLabel(label, untilMs, 'daily')
    },
    stats: () => ({
      requests: counts.requests,
      rateLimited: counts.rateLimited,
      spentToday: pool.spentToday(),
      dailyLimit: pool.limit,
    }),
    close: () => {
      closing.abort(CLOSED)
      waiting.dismiss(CLOSED)
    },
  }
}

/** Reads the label's state again now and then: another process may have been refused meanwhile. */
function watchState(
  { label, ledger, clock }: RateQueueOptions,
  extend: (untilMs: number, scope: 'rate' | 'daily') => void,
) {
  let readAtMs = clock.elapsed()
  const read = async (): Promise<LabelState> => {
    readAtMs = clock.elapsed()
    const state = await ledger.readLabel(label)
    if (state.reason !== undefined) extend(state.retryAtMs, state.reason)
    return state
  }
  return {
    read,
    async refresh(): Promise<void> {
      if (clock.elapsed() - readAtMs >= REFRESH_MS) await read()
    },
  }
}

/** Makes the call, and reports to the limiter how it ended. */
async function usePermit<T>(
  permit: Permit,
  task: (sent: () => void) => Promise<T>,
  refusals: RefusalCount,
): Promise<T> {
  try {
    const result = await task(permit.sent)
    permit.passed()
    refusals.answered()
    return result
  } catch (error) {
    if (!(error instanceof RateLimitedError)) refusals.answered()
    if (error instanceof RateLimitedError && error.scope === 'rate') permit.refused()
    else permit.failed()
    throw error
  }
}

interface PermitOptions {
  limiter: RateLimiter
  retryAt: RetryAt
  signal: AbortSignal | undefined
}

/**
 * Waits for the limiter's permit. If a 429 came meanwhile, it waits until the retry time, and for a new
 * permit; an exhausted day rejects the call. A call without a permit is taken off the day's count again.
 */
async function nextPermit(
  rateQueue: RateQueueOptions,
  { limiter, retryAt, signal }: PermitOptions,
): Promise<Permit> {
  try {
    for (;;) {
      await retryAt.over(signal)
      throwIfExhausted(rateQueue, retryAt)
      const permit = await limiter.start(signal)
      if (retryAt.leftMs('rate') === 0 && retryAt.leftMs('daily') === 0) return permit
      permit.giveBack()
    }
  } catch (error) {
    rateQueue.pool.putBack()
    throw error
  }
}

function throwIfExhausted({ label, clock }: RateQueueOptions, retryAt: RetryAt): void {
  const exhaustedMs = retryAt.leftMs('daily')
  if (exhaustedMs > 0) throw exhausted(label, clock.now() + exhaustedMs)
}

interface RetryAtOptions extends RateQueueOptions {
  waiting: { dismiss(reason: Error): void }
  retryAt: RetryAt
  closing: AbortSignal
}

/** A 429 for the rate pauses the queue until the retry time; one for the day rejects what waits. */
function pauseOf({ label, queue, clock, waiting, retryAt, closing }: RetryAtOptions) {
  let paused = false
  const resume = async (): Promise<void> => {
    paused = true
    queue.pause()
    // On closing, all that waited has been rejected by now.
    await retryAt.over(closing).catch(() => {})
    paused = false
    queue.start()
  }
  return (untilMs: number, scope: 'rate' | 'daily'): void => {
    if (untilMs <= clock.now()) return
    retryAt.extend(untilMs, scope)
    if (scope === 'daily') waiting.dismiss(exhausted(label, clock.now() + retryAt.leftMs('daily')))
    else if (!paused) void resume()
  }
}

/** Runs once and answers with the same result ever after; what failed runs again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}

function exhausted(label: RateLabel, untilMs: number): RateLimitedError {
  return new RateLimitedError('daily', untilMs, {
    tried: `sending a ${label} call`,
    expected: 'calls left in the day',
    came: "the service has said that the label's daily quota is exhausted",
    todo: 'run again after the reset at 00:00 UTC; the next run goes on with what is missing',
  })
}

/** Another process obeys a 429 no later than this: one small query, shared by all calls. */
const REFRESH_MS = 2_000

const CLOSED = new CallsheetError('closed', {
  tried: 'sending a call',
  came: 'the governor was closed while it waited',
})
