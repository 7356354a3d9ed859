import type { Clock } from '../core/clock.ts'
import { RateLimitedError } from '../core/errors.ts'
import type { Observer } from '../core/observer.ts'
import type { RateLabel } from '../core/operation.ts'
import type { QuotaLedger } from '../core/ports.ts'
import type { DailyPool } from './daily-pool.ts'
import type { LabelStats } from './governor.ts'
import type { Pace } from './pace.ts'
import { backoffMs } from './retry.ts'

/** What a lane needs of its queue. A call that is taken away while it waits rejects with the signal's reason. */
export interface LaneQueue {
  add<T>(task: () => Promise<T>, options: { signal: AbortSignal }): Promise<T>
  pause(): unknown
  start(): unknown
}

export interface LaneOptions {
  label: RateLabel
  queue: LaneQueue
  /** Made once it is known what was learned before. */
  pace: (learned: number | undefined) => Pace
  pool: DailyPool
  ledger: QuotaLedger
  clock: Clock
  random: () => number
  observer: Observer
}

export interface Lane {
  run<T>(signal: AbortSignal | undefined, task: (sent: () => void) => Promise<T>): Promise<T>
  hold(untilMs: number, scope: 'rate' | 'daily'): Promise<void>
  stats(): LabelStats
  close(): void
}

/** One label of one account: its queue, its pace, and how long the service wants it to be still. */
export function createLane(options: LaneOptions): Lane {
  const { label, queue, pool, ledger, clock } = options
  const closing = new AbortController()
  const waiting = new Set<(reason: Error) => void>()
  const counts = { requests: 0, rateLimited: 0, refusalsInSequence: 0 }
  // Measured on the clock that never stands still: wall time may be frozen.
  const until = { rateMs: Number.NEGATIVE_INFINITY, dailyMs: Number.NEGATIVE_INFINITY }
  let resuming: Promise<void> | undefined
  let opened: Promise<Pace> | undefined

  const quiet = (untilMs: number, scope: 'rate' | 'daily'): void => {
    const at = clock.elapsed() + Math.max(0, untilMs - clock.now())
    if (scope === 'daily') {
      until.dailyMs = Math.max(until.dailyMs, at)
      for (const leave of waiting) leave(parked(label, until.dailyMs - clock.elapsed(), clock))
    } else {
      until.rateMs = Math.max(until.rateMs, at)
      queue.pause()
      resuming ??= resume().finally(() => {
        resuming = undefined
      })
    }
  }
  const resume = async (): Promise<void> => {
    try {
      for (let ms = 1; ms > 0; ms = until.rateMs - clock.elapsed()) {
        await clock.sleep(Math.max(0, until.rateMs - clock.elapsed()), closing.signal)
      }
    } catch {
      // Closing: what still waits in the queue is let go, to fail by its own signal.
    }
    queue.start()
  }
  const open = async (): Promise<Pace> => {
    const state = await ledger.readLabel(label)
    if (state.reason !== undefined && state.notBeforeMs > clock.now()) {
      quiet(state.notBeforeMs, state.reason)
    }
    return options.pace(state.learnedCallsPerSecond)
  }
  const begin = (): Promise<Pace> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }

  return {
    async run(signal, task) {
      const pace = await begin()
      const leftMs = until.dailyMs - clock.elapsed()
      if (leftMs > 0) throw parked(label, leftMs, clock)
      signal?.throwIfAborted()
      await pool.take()
      return inQueue({ queue, waiting, signal, putBack: pool.putBack }, async () => {
        const sent = await pace.start(signal)
        counts.requests++
        const result = await task(sent)
        counts.refusalsInSequence = 0
        pace.succeeded()
        return result
      })
    },
    async hold(untilMs, scope) {
      counts.rateLimited++
      // Calls that were under way together are refused together, which is one refusal.
      if (until.rateMs <= clock.elapsed()) counts.refusalsInSequence++
      // A little later than asked, and more so each time: processes need not come back all in one instant.
      const extraMs = backoffMs(counts.refusalsInSequence, options.random) / 4
      const at = scope === 'daily' ? untilMs : untilMs + extraMs
      quiet(at, scope)
      if (scope === 'rate') (await begin()).refused()
      options.observer.event('governor.held', {
        label,
        reason: scope,
        ms: Math.round(at - clock.now()),
      })
      await ledger.holdLabel(label, at, scope)
    },
    stats: () => ({
      requests: counts.requests,
      rateLimited: counts.rateLimited,
      spentToday: pool.spentToday(),
      dailyLimit: pool.limit,
    }),
    close: () => closing.abort(new Error('closed')),
  }
}

interface QueuePlace {
  queue: LaneQueue
  waiting: Set<(reason: Error) => void>
  signal: AbortSignal | undefined
  putBack(): void
}

/** Waits for a place in the queue. A call may be taken away while it waits, never while it is under way. */
async function inQueue<T>(place: QueuePlace, task: () => Promise<T>): Promise<T> {
  const { queue, waiting, signal } = place
  const leaving = new AbortController()
  const leave = (reason: Error): void => leaving.abort(reason)
  const onAbort = (): void => leave(signal?.reason as Error)
  let started = false
  const settle = (): void => {
    waiting.delete(leave)
    signal?.removeEventListener('abort', onAbort)
  }
  waiting.add(leave)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await queue.add(
      () => {
        started = true
        settle()
        return task()
      },
      { signal: leaving.signal },
    )
  } finally {
    settle()
    if (!started) place.putBack()
  }
}

function parked(label: RateLabel, leftMs: number, clock: Clock): RateLimitedError {
  return new RateLimitedError('daily', clock.now() + leftMs, {
    tried: `sending a ${label} call`,
    expected: 'calls left in the day',
    came: "the service has said that the label's daily quota is spent",
    todo: 'run again after the reset at 00:00 UTC; the next run goes on with what is missing',
  })
}
