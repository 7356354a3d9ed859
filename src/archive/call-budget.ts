import { type EstimateFacts, estimateLabel, type LabelEstimate } from '../api/quota/estimate.ts'
import type { RateLabel } from '../core/define/operation.ts'
import { DAY_MS, utcDay } from '../core/time/time.ts'

export interface BudgetFacts {
  /** The label's rate, the daily quota of its pool, and the calls made today. */
  label: Pick<LabelEstimate, 'callsPerSecond' | 'dailyLimit' | 'spentToday'>
  /** The time until which the service asked to wait; 0 if it did not. */
  retryAtMs: number
  nowMs: number
}

/**
 * Returns a function that counts the calls of a label that can be made from now until an instant. Undefined
 * if neither a rate nor a daily quota is known. The daily quota starts again at 00:00 UTC.
 */
export function callBudget(facts: BudgetFacts): ((untilMs: number) => number) | undefined {
  const { label, nowMs } = facts
  if (label.callsPerSecond === undefined && label.dailyLimit === undefined) return undefined
  const rate = label.callsPerSecond ?? Number.POSITIVE_INFINITY
  const fromMs = Math.max(nowMs, facts.retryAtMs)
  return (untilMs) => {
    let calls = 0
    for (let at = fromMs; at < untilMs; ) {
      const midnight = Date.parse(utcDay(at)) + DAY_MS
      const end = Math.min(untilMs, midnight)
      const byRate = Math.floor((rate * (end - at)) / 1000)
      calls += Math.min(byRate, leftOf(label, utcDay(at) === utcDay(nowMs)))
      at = end
    }
    return calls
  }
}

/** An account's quotas, and the calls made today. */
type QuotaFacts = Omit<EstimateFacts, 'callsPerLabel'>

export interface LabelBudget {
  label: RateLabel
  facts: QuotaFacts
  /** The time until which the service asked to wait for the label; 0 if it did not. */
  retryAtMs: number
}

export function labelBudget({ label, facts, retryAtMs }: LabelBudget) {
  return callBudget({ label: estimateOf(label, facts), retryAtMs, nowMs: facts.nowMs })
}

/**
 * Returns how many calls the day has left for a label, regardless of its rate; infinite without a daily
 * limit.
 */
export function leftToday(label: RateLabel, facts: QuotaFacts): number {
  return leftOf(estimateOf(label, facts), true)
}

function estimateOf(label: RateLabel, facts: QuotaFacts): LabelEstimate {
  return estimateLabel(label, { ...facts, callsPerLabel: {} })
}

function leftOf({ dailyLimit, spentToday }: BudgetFacts['label'], today: boolean): number {
  if (dailyLimit === undefined) return Number.POSITIVE_INFINITY
  return today ? Math.max(0, dailyLimit - spentToday) : dailyLimit
}
