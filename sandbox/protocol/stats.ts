import type { RateLabel } from '../../src/core/define/operation.ts'

export interface LabelTraffic {
  requests: number
  rateLimited: number
  /** The most requests within any one second of real time. */
  maxPerSecond: number
}

export interface Stats {
  labels: Record<RateLabel, LabelTraffic>
  operations: Record<string, number>
  unauthorized: number
  tokenRenewals: number
  faults: Record<string, number>
}

export function emptyStats(): Stats {
  const label = (): LabelTraffic => ({ requests: 0, rateLimited: 0, maxPerSecond: 0 })
  return {
    labels: { LIGHT: label(), MEDIUM: label(), HEAVY: label(), 'RESOURCE-INTENSIVE': label() },
    operations: {},
    unauthorized: 0,
    tokenRenewals: 0,
    faults: {},
  }
}

/** Returns a function that counts requests by label, and updates the most requests within one second. */
export function arrivalCounter(stats: Stats): (label: RateLabel, elapsedMs: number) => void {
  const recent = new Map<RateLabel, { times: number[]; head: number }>()
  return (label, elapsedMs) => {
    const own = recent.get(label) ?? { times: [], head: 0 }
    recent.set(label, own)
    own.times.push(elapsedMs)
    while ((own.times[own.head] ?? elapsedMs) <= elapsedMs - 1000) own.head++
    if (own.head > 10_000) {
      own.times = own.times.slice(own.head)
      own.head = 0
    }
    const entry = stats.labels[label]
    entry.requests++
    entry.maxPerSecond = Math.max(entry.maxPerSecond, own.times.length - own.head)
  }
}
