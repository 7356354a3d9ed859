import type { LabelQuotas, SandboxOptions } from '../../src/sandbox/options.ts'
import { LAB_QUOTAS } from '../../src/sandbox/options.ts'
import type { Plan } from './plan.ts'

/** Small enough for a thousand runs, large enough for several slices of several pages in every stream. */
export const SIZES = {
  users: 100,
  sessions: 64,
  whiteboards: 12,
  activities: 110,
  recordings: 56,
  numbers: 20,
}

/** Shorter than the service's own six months: a few windows show what many would. */
export const HORIZON_DAYS = 56

export const START = '2026-07-08T02:30:00Z'

export function companyOptions(plan: Plan): SandboxOptions {
  return {
    seed: plan.seed,
    sizes: SIZES,
    historyDays: HORIZON_DAYS - 4,
    quotas: plan.quotas === 'narrow' ? NARROW_QUOTAS : LAB_QUOTAS,
    // So few rows to a page give lists of several pages.
    habits: { pageCap: 2, emptyPages: plan.rates['empty-page'] === undefined ? 0 : 0.1 },
  }
}

const NARROW_QUOTAS: LabelQuotas = {
  LIGHT: { perSecond: 30, pool: 'LIGHT' },
  MEDIUM: { perSecond: 20, pool: 'MEDIUM' },
  HEAVY: { perSecond: 10, perDay: 30_000, pool: 'HEAVY' },
  'RESOURCE-INTENSIVE': { perMinute: 600, perDay: 30_000, pool: 'HEAVY' },
}
