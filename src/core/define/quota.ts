import type { RateLabel } from './operation.ts'

/**
 * What the service allows for one label. A rate that is not known is learned; without `perDay` the day's
 * calls are counted but not limited.
 */
export interface Quota {
  perSecond?: number
  perMinute?: number
  perDay?: number
  /** Labels with the same pool share the day's calls. */
  pool: string
}

/** `learn`: unknown; the governor raises its rate while no 429 comes, and keeps what it learned. */
export type Quotas = Readonly<Record<RateLabel, Quota | 'learn'>>

export type ServicePlan = 'starter' | 'pro' | 'business'

export const RATE_LABELS: readonly RateLabel[] = ['LIGHT', 'MEDIUM', 'HEAVY', 'RESOURCE-INTENSIVE']

/**
 * The daily pool of a label whose quota is not known: the two heavy ones share theirs on all plans but the
 * smallest.
 */
export function defaultPool(label: RateLabel): string {
  return label === 'HEAVY' || label === 'RESOURCE-INTENSIVE' ? SHARED_POOL : label
}

/** The pool whose day a label spends. */
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
