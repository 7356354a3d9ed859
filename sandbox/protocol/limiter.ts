import type { RateLabel } from '../../src/core/define/operation.ts'
import type { LabelQuotas, LimiterKind } from '../seed-data/options.ts'

export type LimiterVerdict = 'taken' | 'per-second' | 'per-minute' | 'daily'

export interface Limiter {
  take(account: string, label: RateLabel): LimiterVerdict
  /** The calls left for the label today; undefined without a daily quota. */
  leftToday(account: string, label: RateLabel): number | undefined
}

interface Gate {
  take(elapsedMs: number): boolean
}

/** Limits calls. Quotas belong to the account. Rates use real elapsed time; days use the sandbox's clock. */
export function makeLimiter(options: {
  quotas: LabelQuotas
  kind: LimiterKind
  now(): number
  elapsed(): number
}): Limiter {
  const { quotas, kind, now, elapsed } = options
  const gates = new Map<string, Gate>()
  const spent = new Map<string, number>()
  const gateOf = (key: string, calls: number, spanMs: number): Gate => {
    const gate = gates.get(key) ?? MAKERS[kind](calls, spanMs)
    gates.set(key, gate)
    return gate
  }
  const dayOf = (account: string, pool: string): string =>
    `${account} ${pool} ${String(Math.floor(now() / DAY_MS))}`
  return {
    take(account, label) {
      const { perSecond, perMinute, perDay, pool } = quotas[label]
      const day = dayOf(account, pool)
      const used = spent.get(day) ?? 0
      if (perDay !== undefined && used >= perDay) return 'daily'
      if (
        perSecond !== undefined &&
        !gateOf(`${account} ${label} s`, perSecond, 1000).take(elapsed())
      )
        return 'per-second'
      if (
        perMinute !== undefined &&
        !gateOf(`${account} ${label} m`, perMinute, 60_000).take(elapsed())
      )
        return 'per-minute'
      spent.set(day, used + 1)
      return 'taken'
    },
    leftToday(account, label) {
      const { perDay, pool } = quotas[label]
      return perDay === undefined ? undefined : perDay - (spent.get(dayOf(account, pool)) ?? 0)
    },
  }
}

/** Resets the count at the start of each span, so up to twice the quota may pass around that instant. */
function fixedSpan(calls: number, spanMs: number): Gate {
  let span = Number.NaN
  let used = 0
  return {
    take(elapsedMs) {
      const current = Math.floor(elapsedMs / spanMs)
      if (current !== span) used = 0
      span = current
      if (used >= calls) return false
      used++
      return true
    },
  }
}

/** Allows no more than the quota within any span: the strictest limit. Refused calls do not count. */
function slidingWindow(calls: number, spanMs: number): Gate {
  const ring = new Float64Array(calls).fill(Number.NEGATIVE_INFINITY)
  let next = 0
  return {
    take(elapsedMs) {
      if (elapsedMs - (ring[next] ?? 0) < spanMs) return false
      ring[next] = elapsedMs
      next = (next + 1) % calls
      return true
    },
  }
}

/** Begins full and refills evenly up to the quota, so a later burst passes only after a pause. */
function tokenBucket(calls: number, spanMs: number): Gate {
  let tokens = calls
  let filledAt = 0
  return {
    take(elapsedMs) {
      tokens = Math.min(calls, tokens + ((elapsedMs - filledAt) * calls) / spanMs)
      filledAt = elapsedMs
      if (tokens < 1) return false
      tokens--
      return true
    },
  }
}

const MAKERS: Record<LimiterKind, (calls: number, spanMs: number) => Gate> = {
  'fixed-second': fixedSpan,
  'sliding-window': slidingWindow,
  'token-bucket': tokenBucket,
}
const DAY_MS = 86_400_000
