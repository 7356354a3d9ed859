import PQueue from 'p-queue'
import type { Clock } from '../core/clock.ts'
import type { Observer } from '../core/observer.ts'
import type { RateLabel } from '../core/operation.ts'
import type { QuotaLedger } from '../core/ports.ts'
import { defaultPool, type Quota, type Quotas, RATE_LABELS } from '../core/quota.ts'
import { createDailyPool, type DailyPool } from './daily-pool.ts'
import { createLane, type LabelStats, type Lane } from './lane.ts'
import { createLearningPace } from './learning-pace.ts'
import { createWindowPace, freePace, type Pace, rateWindow } from './pace.ts'

export interface GovernorOptions {
  quotas: Quotas
  /** The share of every quota that is left to other apps of the account, 0 to 0.9. */
  headroom: number
  ledger: QuotaLedger
  clock: Clock
  random: () => number
  observer: Observer
  /** Calls of one label under way at once. A fast label needs its rate times the latency. */
  concurrency?: number
}

export interface Governor {
  /**
   * Runs a call when its label's rate, its day's pool and the service's "not before" allow. The task says
   * by `sent` when its request really goes out.
   */
  run<T>(
    label: RateLabel,
    signal: AbortSignal | undefined,
    task: (sent: () => void) => Promise<T>,
  ): Promise<T>
  /** After a 429: nothing of this label goes out before `untilMs`, in no process and after no restart. */
  hold(label: RateLabel, untilMs: number, scope: 'rate' | 'daily'): Promise<void>
  stats(): Record<RateLabel, LabelStats>
  /** Gives back what was reserved and not used. */
  close(): Promise<void>
}

/** One lane per label; lanes with the same pool share the day's calls. */
export function createGovernor(options: GovernorOptions): Governor {
  const pools = new Map<string, DailyPool>()
  const lanes = {} as Record<RateLabel, Lane>
  for (const label of RATE_LABELS) {
    const quota = options.quotas[label]
    const name = quota === 'learn' ? defaultPool(label) : quota.pool
    const pool =
      pools.get(name) ?? createDailyPool({ ...options, name, limit: dailyLimit(options, name) })
    pools.set(name, pool)
    lanes[label] = createLane({ ...options, ...queueAndPace(options, label, quota), label, pool })
  }
  return {
    run: (label, signal, task) => lanes[label].run(signal, task),
    hold: (label, untilMs, scope) => lanes[label].hold(untilMs, scope),
    stats: () => {
      const stats = {} as Record<RateLabel, LabelStats>
      for (const label of RATE_LABELS) stats[label] = lanes[label].stats()
      return stats
    },
    async close() {
      for (const label of RATE_LABELS) lanes[label].close()
      await Promise.all([...pools.values()].map((pool) => pool.close()))
    },
  }
}

/** The smallest limit that a label of the pool names, less the headroom. */
function dailyLimit({ quotas, headroom }: GovernorOptions, pool: string): number | undefined {
  const limits = RATE_LABELS.flatMap((label) => {
    const quota = quotas[label]
    return quota !== 'learn' && quota.pool === pool && quota.perDay !== undefined
      ? [quota.perDay]
      : []
  })
  return limits.length === 0
    ? undefined
    : Math.floor(Math.min(...limits) * (1 - headroom) + ROUNDING)
}

/**
 * A known quota is p-queue's strict window; an unknown one is a pace of ours, since p-queue's rate is
 * fixed.
 */
function queueAndPace(options: GovernorOptions, label: RateLabel, quota: Quota | 'learn') {
  const { clock, ledger, observer, headroom, concurrency = DEFAULT_CONCURRENCY } = options
  if (quota === 'learn') {
    const save = (callsPerSecond: number): void => {
      ledger.saveLearnedRate(label, callsPerSecond).catch((error: unknown) => {
        // What was learned is a convenience: a database that is away will be noticed where it matters.
        observer.event('governor.not_saved', { label, error: (error as Error).name })
      })
    }
    const pace = (learned: number | undefined): Pace =>
      createLearningPace({ label, clock, headroom, learned, save })
    return { queue: new PQueue({ concurrency }), pace }
  }
  const window = rateWindow(quota, headroom)
  if (window === undefined) return { queue: new PQueue({ concurrency }), pace: () => freePace }
  const { cap, intervalMs } = window
  return {
    queue: new PQueue({ concurrency, intervalCap: cap, interval: intervalMs, strict: true }),
    pace: () => createWindowPace(window, clock),
  }
}

const DEFAULT_CONCURRENCY = 8
/** 100 * (1 - 0.9) is a little less than ten. */
const ROUNDING = 1e-6
