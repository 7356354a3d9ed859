import PQueue from 'p-queue'
import type { Observer } from '../../core/define/observer.ts'
import type { RateLabel } from '../../core/define/operation.ts'
import type { QuotaLedger } from '../../core/define/ports.ts'
import { defaultPool, type Quota, type Quotas, RATE_LABELS } from '../../core/define/quota.ts'
import { RateLimitedError, TransportError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { ALWAYS_LIMITED } from '../answers/retry.ts'
import { createDailyPool, type DailyPool } from './daily-pool.ts'
import { createRateFinder, knownOptions, learningOptions } from './rate-finder.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'
import { createRateQueue, type LabelStats, type RateQueue } from './rate-queue.ts'
import { createWindowPermits, permitsOfAll, rateWindows } from './sent-calls.ts'

export interface GovernorOptions {
  quotas: Quotas
  /** The share of every quota reserved for other apps of the account, 0 to 0.9. */
  reserve: number
  ledger: QuotaLedger
  clock: Clock
  random: () => number
  observer: Observer
  /** How many calls of one label may be in flight; the default is derived from its rate. */
  concurrency?: number
}

export interface Governor {
  /**
   * Runs a call when its label's rate, its pool's daily limit and the service's retry time allow. The task
   * must call `sent` when its request goes out; if it throws a RateLimitedError, the label is paused.
   */
  run<T>(
    label: RateLabel,
    signal: AbortSignal | undefined,
    task: (sent: () => void) => Promise<T>,
  ): Promise<T>
  /**
   * After a 429: pauses the label until `untilMs`, also after a restart. Other processes notice at their next
   * check. A daily limit rejects the calls of every label of the pool.
   */
  hold(label: RateLabel, untilMs: number, scope: 'rate' | 'daily'): Promise<void>
  stats(): Record<RateLabel, LabelStats>
  /** Rejects the calls that wait, and returns reserved calls that were not used. */
  close(): Promise<void>
}

/** One queue per label; labels with the same pool share its daily calls. */
export function createGovernor(options: GovernorOptions): Governor {
  const pools = new Map<string, DailyPool>()
  const rateQueues = {} as Record<RateLabel, RateQueue>
  const poolOf = (label: RateLabel): string => poolName(options.quotas[label], label)
  for (const label of RATE_LABELS) {
    const quota = options.quotas[label]
    const name = poolOf(label)
    const pool =
      pools.get(name) ?? createDailyPool({ ...options, name, limit: dailyLimit(options, name) })
    pools.set(name, pool)
    rateQueues[label] = createRateQueue({
      ...options,
      ...queueAndLimiter(options, label, quota),
      label,
      pool,
    })
  }
  /** An exhausted daily quota applies to every label of its pool. */
  const holdAll = async (...[label, untilMs, scope]: Parameters<Governor['hold']>) => {
    await rateQueues[label].hold(untilMs, scope)
    if (scope !== 'daily') return
    const sharing = RATE_LABELS.filter(
      (other) => other !== label && poolOf(other) === poolOf(label),
    )
    for (const other of sharing) await rateQueues[other].exhaust(untilMs)
  }
  return {
    async run(label, signal, task) {
      let refusal: RateLimitedError | undefined
      const watched: typeof task = async (sent) => {
        try {
          return await task(sent)
        } catch (error) {
          if (error instanceof RateLimitedError) refusal = error
          throw error
        }
      }
      try {
        return await rateQueues[label].run(signal, watched)
      } catch (error) {
        // Only the service's own refusal pauses the label, not a call that the governor itself rejected.
        if (refusal === undefined) throw error
        await holdAll(label, refusal.untilMs, refusal.scope)
        const isHopeless = refusal.scope === 'rate' && rateQueues[label].isHopeless()
        throw isHopeless ? alwaysLimited(label, refusal) : error
      }
    },
    hold: holdAll,
    stats: () => {
      const stats = {} as Record<RateLabel, LabelStats>
      for (const label of RATE_LABELS) stats[label] = rateQueues[label].stats()
      return stats
    },
    async close() {
      for (const label of RATE_LABELS) rateQueues[label].close()
      await Promise.all([...pools.values()].map((pool) => pool.close()))
    },
  }
}

/** The error of a label whose calls are all refused, however long each one waits. */
function alwaysLimited(label: RateLabel, { facts }: RateLimitedError): TransportError {
  return new TransportError(ALWAYS_LIMITED, true, {
    ...facts,
    came: `${facts.came}; the service refused every ${label} call, however long each one waited`,
    todo: "check whether other apps use up the account's rate limit; otherwise contact the service's support",
  })
}

function poolName(quota: Quota | 'learn', label: RateLabel): string {
  return quota === 'learn' ? defaultPool(label) : quota.pool
}

/** The smallest daily limit of the pool's labels, less the reserve. */
function dailyLimit({ quotas, reserve }: GovernorOptions, pool: string): number | undefined {
  const limits = RATE_LABELS.flatMap((label) => {
    const quota = quotas[label]
    return quota !== 'learn' && quota.pool === pool && quota.perDay !== undefined
      ? [quota.perDay]
      : []
  })
  return limits.length === 0
    ? undefined
    : Math.floor(Math.min(...limits) * (1 - reserve) + ROUNDING)
}

/**
 * The queue orders calls and limits how many are in flight; the limiter decides when the next one may start.
 * If a quota has no rate, the rate is learned.
 */
function queueAndLimiter(options: GovernorOptions, label: RateLabel, quota: Quota | 'learn') {
  const { clock, reserve, concurrency = concurrencyOf(quota) } = options
  const queue = new PQueue({ concurrency })
  const [window, ...wider] = quota === 'learn' ? [] : rateWindows(quota, reserve)
  if (window === undefined) {
    const save = saver(options, label)
    const limiter = (learned: number | undefined): RateLimiter => {
      const finder = createRateFinder(learningOptions(label, { learned, reserve }), save)
      return createRateLimiter({ clock, finder })
    }
    return { queue, limiter }
  }
  const finder = createRateFinder(knownOptions(window.cap, window.intervalMs))
  const permits = permitsOfAll([window, ...wider].map(createWindowPermits))
  return { queue, limiter: () => createRateLimiter({ clock, finder, permits }) }
}

/** The label's rate times the usual answer time, within bounds; without a rate, `UNKNOWN_CONCURRENCY`. */
function concurrencyOf(quota: Quota | 'learn'): number {
  if (quota === 'learn' || hasNoRate(quota)) return UNKNOWN_CONCURRENCY
  const forRate = Math.ceil((quota.perSecond ?? 0) * USUAL_ANSWER_S)
  return Math.min(MOST_CONCURRENCY, Math.max(LEAST_CONCURRENCY, forRate))
}

function hasNoRate({ perSecond, perMinute }: Quota): boolean {
  return perSecond === undefined && perMinute === undefined
}

function saver({ ledger, observer }: GovernorOptions, label: RateLabel) {
  return (callsPerSecond: number): void => {
    ledger.saveLearnedRate(label, callsPerSecond).catch((error: unknown) => {
      // Not an error: a learned rate is optional, and an unavailable database fails other writes.
      observer.event('governor.not_saved', { label, error: (error as Error).name })
    })
  }
}

/** A quarter of the connections, because every label may be learning. */
const UNKNOWN_CONCURRENCY = 16
const LEAST_CONCURRENCY = 8
const MOST_CONCURRENCY = 20
const USUAL_ANSWER_S = 0.3
/** Floating point: 100 * (1 - 0.9) is slightly less than 10. */
const ROUNDING = 1e-6
