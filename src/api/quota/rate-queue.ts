import type { Observer } from '../../core/define/observer.ts'
import type { RateLabel } from '../../core/define/operation.ts'
import type { QuotaLedger } from '../../core/define/ports.ts'
import { CallsheetError, RateLimitedError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { createSlots, whenAborted } from '../../core/waiting.ts'
import { neverConnected } from '../answers/transport-faults.ts'
import type { DailyPool } from './daily-pool.ts'
import { createLabelHold, type LabelHold, type Permit, type RateLimiter } from './rate-limiter.ts'

export interface LabelStats {
  requests: number
  rateLimited: number
  /** Calls of the label's pool today, by all processes of the account, as far as this one knows. */
  spentToday: number
  dailyLimit: number | undefined
}

interface RateQueueOptions {
  label: RateLabel
  queue: CallQueue
  /** Called when the previously learned rate has been read. */
  limiter: (learned: number | undefined) => RateLimiter
  pool: DailyPool
  ledger: QuotaLedger
  clock: Clock
  random: () => number
  observer: Observer
}

export interface RateQueue {
  run<T>(signal: AbortSignal | undefined, task: (sent: () => void) => Promise<T>): Promise<T>
  /** Call it after a 429 of this label. */
  hold(untilMs: number, scope: 'rate' | 'daily'): Promise<void>
  /** True if 20 refusals in a row, or an hour of them, show that the next call would be refused too. */
  isHopeless(): boolean
  /** Another label's refusal shows that the pool's daily quota is exhausted. */
  exhaust(untilMs: number): Promise<void>
  stats(): LabelStats
  close(): void
}

/** The queue of one rate label. Its calls wait for the rate limiter, and for the retry time after a 429. */
export function createRateQueue(options: RateQueueOptions): RateQueue {
  const { queue, pool } = options
  const closing = new AbortController()
  const waiting = createWaitingCalls(queue)
  const hold = createLabelHold({ ...options, dismiss: waiting.dismiss, closing: closing.signal })
  const counts = { requests: 0, rateLimited: 0 }
  const begin = once(async () => options.limiter((await hold.read()).learnedCallsPerSecond))

  return {
    async run(signal, task) {
      const limiter = await begin()
      await hold.refresh()
      hold.throwIfExhausted()
      signal?.throwIfAborted()
      const putBack = await pool.take()
      const send = async () => {
        const permit = await nextPermit(putBack, { limiter, hold, signal })
        counts.requests++
        const onUnsent = (): void => {
          counts.requests--
          putBack()
        }
        return await usePermit(permit, task, { hold, onUnsent })
      }
      return waiting.enter({ signal, task: send, onLeft: putBack })
    },
    async hold(untilMs, scope) {
      counts.rateLimited++
      await hold.refused(untilMs, scope)
    },
    isHopeless: hold.isHopeless,
    exhaust: hold.exhaust,
    stats: () => ({ ...counts, spentToday: pool.spentToday(), dailyLimit: pool.limit }),
    close: () => {
      closing.abort(CLOSED)
      waiting.dismiss(CLOSED)
    },
  }
}

/**
 * Makes the call and reports its outcome to the limiter and the hold. Calls `onUnsent` only if the request
 * was certainly not sent; the service may have counted any other call.
 */
async function usePermit<T>(
  permit: Permit,
  task: (sent: () => void) => Promise<T>,
  { hold, onUnsent }: { hold: LabelHold; onUnsent: () => void },
): Promise<T> {
  let isSent = false
  const sent = (): void => {
    isSent = true
    permit.sent()
  }
  try {
    const result = await task(sent)
    permit.passed()
    hold.answered()
    return result
  } catch (error) {
    if (!isSent && neverConnected(error)) onUnsent()
    if (!(error instanceof RateLimitedError)) hold.answered()
    if (error instanceof RateLimitedError && error.scope === 'rate') permit.refused()
    else permit.failed()
    throw error
  }
}

interface PermitOptions {
  limiter: RateLimiter
  hold: LabelHold
  signal: AbortSignal | undefined
}

/**
 * Waits for the limiter's permit. If a 429 came meanwhile, it waits until the retry time and then for a new
 * permit; an exhausted daily quota rejects the call. A call without a permit is taken off the day's count.
 */
async function nextPermit(
  putBack: () => void,
  { limiter, hold, signal }: PermitOptions,
): Promise<Permit> {
  try {
    for (;;) {
      await hold.over(signal)
      hold.throwIfExhausted()
      const permit = await limiter.start(signal)
      if (hold.isOver()) return permit
      permit.giveBack()
    }
  } catch (error) {
    putBack()
    throw error
  }
}

/** Runs once and returns the same result afterwards; after a failure it runs again. */
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

/** The queue methods that waiting calls use. */
interface CallQueue {
  add(task: () => Promise<void>): Promise<unknown>
  pause(): unknown
  start(): unknown
}

interface WaitingCalls {
  /** Queues a call. It can be removed only while it waits, and then rejects with the reason. */
  enter<T>(entry: WaitingCall<T>): Promise<T>
  /** Rejects all waiting calls. */
  dismiss(reason: Error): void
}

interface WaitingCall<T> {
  signal: AbortSignal | undefined
  task(): Promise<T>
  /** Called if the call leaves the queue before it begins. */
  onLeft(): void
}

function createWaitingCalls(queue: CallQueue): WaitingCalls {
  const waiting = createSlots<(reason: Error) => void>()
  return {
    enter: ({ signal, task, onLeft }) =>
      new Promise((resolve, reject) => {
        let left = false
        let slot = -1
        const settle = (): void => {
          waiting.remove(slot, leave)
          stopListening()
        }
        const leave = (reason: Error): void => {
          left = true
          settle()
          onLeft()
          reject(reason)
        }
        const onAbort = (): void => leave(signal?.reason as Error)
        const stopListening = whenAborted(signal, onAbort)
        if (signal?.aborted === true) return onAbort()
        slot = waiting.add(leave)
        // Removed calls stay in the queue, but do nothing.
        void queue.add(async () => {
          if (left) return
          settle()
          await task().then(resolve, reject)
        })
      }),
    dismiss: (reason) => waiting.each((leave) => leave(reason)),
  }
}

const CLOSED = new CallsheetError('closed', {
  tried: 'Sending a call',
  came: 'the program was stopped while the call waited',
  todo: 'run again',
})
