import type { RateLabel } from '../../core/define/operation.ts'
import { poolOf, type Quotas, RATE_LABELS } from '../../core/define/quota.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'

export interface EstimateFacts {
  callsPerLabel: Partial<Record<RateLabel, number>>
  quotas: Quotas
  reserve: number
  /** Calls already made today, by pool. */
  spentToday: ReadonlyMap<string, number>
  /** Learned calls per second, for labels without a known rate. */
  learned: ReadonlyMap<RateLabel, number>
  nowMs: number
}

export interface LabelEstimate {
  label: RateLabel
  calls: number
  /** Undefined if the rate is neither known nor learned yet. */
  callsPerSecond: number | undefined
  seconds: number | undefined
  pool: string
  spentToday: number
  /** The daily limit less the reserve; undefined if the limit is not known. */
  dailyLimit: number | undefined
}

export interface Estimate {
  labels: LabelEstimate[]
  /** Undefined if a label's rate is not known. */
  endsAtMs: number | undefined
  /** The number of UTC days on which labels with a known rate run; 1 if they end today. */
  days: number
}

/** Estimates how long a plan's calls take. Labels run in parallel, so the slowest determines the end. */
export function estimate(facts: EstimateFacts): Estimate {
  const labels = RATE_LABELS.filter((label) => (facts.callsPerLabel[label] ?? 0) > 0).map((label) =>
    estimateLabel(label, facts),
  )
  const ends = labels.map((label) => endOf(label, labels, facts.nowMs))
  const known = ends.every((end) => end !== undefined)
  const last = Math.max(facts.nowMs, ...ends.map((end) => end ?? 0))
  return {
    labels,
    endsAtMs: known ? last : undefined,
    days: (Date.parse(utcDay(last)) - Date.parse(utcDay(facts.nowMs))) / DAY_MS + 1,
  }
}

export function estimateLabel(label: RateLabel, facts: EstimateFacts): LabelEstimate {
  const quota = facts.quotas[label]
  const calls = facts.callsPerLabel[label] ?? 0
  const share = 1 - facts.reserve
  const pool = poolOf(label, quota)
  const known = quota === 'learn' ? undefined : rateOf(quota, share)
  const callsPerSecond = known ?? facts.learned.get(label)
  const perDay = quota === 'learn' ? undefined : quota.perDay
  return {
    label,
    calls,
    callsPerSecond,
    seconds: callsPerSecond === undefined ? undefined : calls / callsPerSecond,
    pool,
    spentToday: facts.spentToday.get(pool) ?? 0,
    dailyLimit: perDay === undefined ? undefined : Math.floor(perDay * share),
  }
}

function rateOf(
  quota: { perSecond?: number; perMinute?: number },
  share: number,
): number | undefined {
  const rates = [quota.perSecond, quota.perMinute === undefined ? undefined : quota.perMinute / 60]
  const known = rates.filter((rate) => rate !== undefined)
  return known.length === 0 ? undefined : Math.min(...known) * share
}

/** When a label's calls end; if its pool runs out today, it continues each midnight until all are made. */
function endOf(
  label: LabelEstimate,
  labels: readonly LabelEstimate[],
  nowMs: number,
): number | undefined {
  if (label.seconds === undefined) return undefined
  const { dailyLimit, spentToday, pool } = label
  const shared = labels.filter((other) => other.pool === pool)
  const calls = shared.reduce((sum, other) => sum + other.calls, 0)
  const leftToday = dailyLimit === undefined ? calls : Math.max(0, dailyLimit - spentToday)
  if (dailyLimit === undefined || calls <= leftToday) return nowMs + label.seconds * 1000
  const later = calls - leftToday
  const fullDays = Math.ceil(later / dailyLimit) - 1
  const rest = later - fullDays * dailyLimit
  const midnight = Date.parse(utcDay(nowMs)) + DAY_MS
  return midnight + fullDays * DAY_MS + (rest / calls) * label.seconds * 1000
}
