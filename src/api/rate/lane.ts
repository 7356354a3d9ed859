import type { Observer } from '../../core/declare/observer.ts'
import type { RateLabel } from '../../core/declare/operation.ts'
import type { LabelState, QuotaLedger } from '../../core/declare/ports.ts'
import { CallsheetError, RateLimitedError } from '../../core/errors/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { Clock } from '../../core/time/clock.ts'
import { backoffMs } from '../answers/retry.ts'
import type { DailyPool } from './daily-pool.ts'
import type { Pace, Turn } from './pace.ts'
import { createStillness, type Stillness } from './retry-at.ts'
import { createWaitingLine, type LaneQueue } from './waiting-line.ts'

export interface LabelStats {
  requests: number
  rateLimited: number
  /** Calls that the label's pool has spent today, by all processes of the account as far as known here. */
  spentToday: number
  dailyLimit: number | undefined
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
  /** After a 429 of this label. */
  hold(untilMs: number, scope: 'rate' | 'daily'): Promise<void>
  /** The pool's day is spent, as another label has shown. */
  park(untilMs: number): Promise<void>
  stats(): LabelStats
  close(): void
}

/** One label of one account: its queue, its pace, and how long the service wants it to be still. */
export function createLane(options: LaneOptions): Lane {
  const { label, queue, pool, ledger, clock } = options
  const closing = new AbortController()
  const line = createWaitingLine(queue)
  const still = createStillness(clock)
  const counts = { requests: 0, rateLimited: 0, refusalsInSequence: 0, extraMs: 0 }
  const extend = stillnessOf({ ...options, line, still, closing: closing.signal })
  const state = watchState(options, extend)
  const begin = once(async () => options.pace((await state.read()).learnedCallsPerSecond))

  return {
    async run(signal, task) {
      const pace = await begin()
      await state.look()
      throwIfParked(options, still)
      signal?.throwIfAborted()
      await pool.take()
      const send = async () => {
        const turn = await nextTurn(options, { pace, still, signal })
        counts.requests++
        const result = await takeTurn(turn, task)
        counts.refusalsInSequence = 0
        return result
      }
      return line.enter({ signal, task: send, onLeft: pool.putBack })
    },
    async hold(untilMs, scope) {
      counts.rateLimited++
      // Calls that were under way together are refused together, which is one refusal.
      if (still.leftMs('rate') === 0) {
        counts.refusalsInSequence++
        // A little later than asked, and more so each time: processes need not come back all in one instant.
        counts.extraMs = backoffMs(counts.refusalsInSequence, options.random) * EXTRA
      }
      const at = scope === 'daily' ? untilMs : untilMs + counts.extraMs
      extend(at, scope)
      const ms = Math.round(at - clock.now())
      options.observer.event('governor.held', { label, reason: scope, wait_ms: ms })
      await point('label:holding')
      await ledger.holdLabel(label, at, scope)
      await point('label:held')
    },
    async park(untilMs) {
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
      line.dismiss(CLOSED)
    },
  }
}

/** What the ledger says of a label: another process may have been refused meanwhile. */
function watchState(
  { label, ledger, clock }: LaneOptions,
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
    async look(): Promise<void> {
      if (clock.elapsed() - readAtMs >= LOOK_EVERY_MS) await read()
    },
  }
}

/** Tells the pace how the call of a turn ended. */
async function takeTurn<T>(turn: Turn, task: (sent: () => void) => Promise<T>): Promise<T> {
  try {
    const result = await task(turn.sent)
    turn.passed()
    return result
  } catch (error) {
    if (error instanceof RateLimitedError && error.scope === 'rate') turn.refused()
    else turn.failed()
    throw error
  }
}

interface TurnOptions {
  pace: Pace
  still: Stillness
  signal: AbortSignal | undefined
}

/**
 * The call's turn by its pace. A hold that came meanwhile is waited for, and then a new turn; one for the day
 * turns it away. Without a turn the call that was booked is not made.
 */
async function nextTurn(lane: LaneOptions, { pace, still, signal }: TurnOptions): Promise<Turn> {
  try {
    for (;;) {
      await still.over(signal)
      throwIfParked(lane, still)
      const turn = await pace.start(signal)
      if (still.leftMs('rate') === 0 && still.leftMs('daily') === 0) return turn
      turn.giveBack()
    }
  } catch (error) {
    lane.pool.putBack()
    throw error
  }
}

function throwIfParked({ label, clock }: LaneOptions, still: Stillness): void {
  const parkedMs = still.leftMs('daily')
  if (parkedMs > 0) throw parked(label, clock.now() + parkedMs)
}

interface StillnessOptions extends LaneOptions {
  line: { dismiss(reason: Error): void }
  still: Stillness
  closing: AbortSignal
}

/** A rate stillness pauses the queue until its end; a daily one turns away what waits. */
function stillnessOf({ label, queue, clock, line, still, closing }: StillnessOptions) {
  let paused = false
  const resume = async (): Promise<void> => {
    paused = true
    queue.pause()
    // On closing, all that waited has been turned away by now.
    await still.over(closing).catch(() => {})
    paused = false
    queue.start()
  }
  return (untilMs: number, scope: 'rate' | 'daily'): void => {
    if (untilMs <= clock.now()) return
    still.extend(untilMs, scope)
    if (scope === 'daily') line.dismiss(parked(label, clock.now() + still.leftMs('daily')))
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

function parked(label: RateLabel, untilMs: number): RateLimitedError {
  return new RateLimitedError('daily', untilMs, {
    tried: `sending a ${label} call`,
    expected: 'calls left in the day',
    came: "the service has said that the label's daily quota is exhausted",
    todo: 'run again after the reset at 00:00 UTC; the next run goes on with what is missing',
  })
}

const EXTRA = 0.1
/** A process beside obeys a hold no later than this: one small query, shared by all calls. */
const LOOK_EVERY_MS = 2_000

const CLOSED = new CallsheetError('closed', {
  tried: 'sending a call',
  came: 'the governor was closed while it waited',
})
