import { type EstimateFacts, estimate, type LabelEstimate } from '../api/quota/estimate.ts'
import type { RateLabel } from '../core/define/operation.ts'
import { DAY_MS, utcDay } from '../core/time/time.ts'

export interface BudgetFacts {
  /** The label's rate, the daily quota of its pool, and the calls made today. */
  label: Pick<LabelEstimate, 'callsPerSecond' | 'dailyLimit' | 'spentToday'>
  /** Planned calls that come first: of the same label, and of others that share its day. */
  competing: { label: number; pool: number }
  /** The service asked to wait until then. */
  retryAtMs: number
  nowMs: number
}

/**
 * How many calls of a label can be made from now until an instant, if the planned ones go first. Undefined
 * if the rate is still to be learned. The daily quota starts anew at 00:00 UTC.
 */
export function callBudget(facts: BudgetFacts): ((untilMs: number) => number) | undefined {
  const { label, nowMs } = facts
  if (label.callsPerSecond === undefined && label.dailyLimit === undefined) return undefined
  const rate = label.callsPerSecond ?? Number.POSITIVE_INFINITY
  const fromMs = Math.max(nowMs, facts.retryAtMs)
  return (untilMs) => {
    let { label: own, pool: others } = facts.competing
    let calls = 0
    for (let at = fromMs; at < untilMs; ) {
      const midnight = Date.parse(utcDay(at)) + DAY_MS
      const end = Math.min(untilMs, midnight)
      const byRate = Math.floor((rate * (end - at)) / 1000)
      const ofDay = leftOf(label, utcDay(at) === utcDay(nowMs)) - others
      others = Math.max(0, -ofDay)
      const free = Math.max(0, Math.min(byRate, ofDay))
      calls += Math.max(0, free - own)
      own = Math.max(0, own - free)
      at = end
    }
    return calls
  }
}

export interface LabelBudget {
  label: RateLabel
  /** The account's quotas and spending; `callsPerLabel` is what is planned and comes first. */
  facts: EstimateFacts
  /** The service asked to wait with the label until then. */
  retryAtMs: number
}

/** The budget of a label by its own figures, whether or not anything is planned for it. */
export function labelBudget({ label, facts, retryAtMs }: LabelBudget) {
  const planned = facts.callsPerLabel[label] ?? 0
  const { own, labels } = estimateOf(label, facts)
  if (own === undefined) return undefined
  const sharing = labels.filter((one) => one.pool === own.pool && one !== own)
  const pool = sharing.reduce((sum, { calls }) => sum + calls, 0)
  const competing = { label: planned, pool }
  return callBudget({ label: own, competing, retryAtMs, nowMs: facts.nowMs })
}

/** How many calls the day has left for a label, however long they take; infinite without a daily limit. */
export function leftToday(label: RateLabel, facts: EstimateFacts): number {
  const { own } = estimateOf(label, facts)
  return own === undefined ? Number.POSITIVE_INFINITY : leftOf(own, true)
}

function estimateOf(label: RateLabel, { callsPerLabel, ...facts }: EstimateFacts) {
  const atLeastOne = { ...callsPerLabel, [label]: Math.max(1, callsPerLabel[label] ?? 0) }
  const { labels } = estimate({ ...facts, callsPerLabel: atLeastOne })
  return { own: labels.find((one) => one.label === label), labels }
}

function leftOf({ dailyLimit, spentToday }: BudgetFacts['label'], today: boolean): number {
  if (dailyLimit === undefined) return Number.POSITIVE_INFINITY
  return today ? Math.max(0, dailyLimit - spentToday) : dailyLimit
}
