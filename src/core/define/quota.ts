import type { RateLabel } from './operation.ts'

/** A label's limits. An unknown rate is learned; without `perDay` the day's calls are only counted. */
export interface Quota {
  perSecond?: number
  perMinute?: number
  perDay?: number
  /** Labels with the same pool share the day's calls. */
  pool: string
}

/** `learn`: the rate is unknown. The governor raises it until a 429 arrives, and stores the result. */
export type Quotas = Readonly<Record<RateLabel, Quota | 'learn'>>

export type ServicePlan = 'starter' | 'pro' | 'business'

export const RATE_LABELS: readonly RateLabel[] = ['LIGHT', 'MEDIUM', 'HEAVY', 'RESOURCE-INTENSIVE']

/** The daily pool of a label with unknown quota. The two heavy labels share one, as in all but one plan. */
export function defaultPool(label: RateLabel): string {
  return label === 'HEAVY' || label === 'RESOURCE-INTENSIVE' ? SHARED_POOL : label
}

export function poolOf(label: RateLabel, quota: Quota | 'learn'): string {
  return quota === 'learn' ? defaultPool(label) : quota.pool
}

const SHARED_POOL = 'HEAVY+RESOURCE-INTENSIVE'

/** Typical figures by plan (`docs/readings.md`). The plan cannot be read through the API. */
export const QUOTA_PRESETS: Readonly<Record<ServicePlan, Readonly<Record<RateLabel, Quota>>>> = {
  starter: {
    LIGHT: { perSecond: 4, perDay: 6_000, pool: 'LIGHT' },
    MEDIUM: { perSecond: 2, perDay: 2_000, pool: 'MEDIUM' },
    HEAVY: { perSecond: 1, perDay: 1_000, pool: 'HEAVY' },
    'RESOURCE-INTENSIVE': { perMinute: 10, perDay: 30_000, pool: 'RESOURCE-INTENSIVE' },
  },
  pro: {
    LIGHT: { perSecond: 30, pool: 'LIGHT' },
    MEDIUM: { perSecond: 20, pool: 'MEDIUM' },
    HEAVY: { perSecond: 10, perDay: 30_000, pool: SHARED_POOL },
    'RESOURCE-INTENSIVE': { perMinute: 10, perDay: 30_000, pool: SHARED_POOL },
  },
  business: {
    LIGHT: { perSecond: 80, pool: 'LIGHT' },
    MEDIUM: { perSecond: 60, pool: 'MEDIUM' },
    HEAVY: { perSecond: 40, perDay: 60_000, pool: SHARED_POOL },
    'RESOURCE-INTENSIVE': { perMinute: 20, perDay: 60_000, pool: SHARED_POOL },
  },
}

export const LEARN_ALL: Quotas = {
  LIGHT: 'learn',
  MEDIUM: 'learn',
  HEAVY: 'learn',
  'RESOURCE-INTENSIVE': 'learn',
}
