import { DAY_MS, utcDay } from '../core/time.ts'
import type { LabelEstimate } from './estimate.ts'

export interface BudgetFacts {
  /** The label's rate, its pool's day and what is spent of it. */
  label: Pick<LabelEstimate, 'callsPerSecond' | 'dailyLimit' | 'spentToday'>
  /** Planned calls that come first: of the same label, and of others that share its day. */
  competing: { label: number; pool: number }
  /** The service told to wait until then. */
  notBeforeMs: number
  nowMs: number
}

/**
 * How many calls of a label can be made from now until an instant, when the planned ones go first. Undefined
 * where the rate is still to be learned. A day's calls begin anew at 00:00 UTC.
 */
export function callBudget(facts: BudgetFacts): ((untilMs: number) => number) | undefined {
  const { label, nowMs } = facts
  const rate = label.callsPerSecond
  if (rate === undefined) return undefined
  const fromMs = Math.max(nowMs, facts.notBeforeMs)
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

function leftOf({ dailyLimit, spentToday }: BudgetFacts['label'], today: boolean): number {
  if (dailyLimit === undefined) return Number.POSITIVE_INFINITY
  return today ? Math.max(0, dailyLimit - spentToday) : dailyLimit
}
