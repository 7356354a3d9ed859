import {
  LAB_QUOTAS,
  type LabelQuotas,
  type SandboxOptions,
  type Sizes,
} from '../../sandbox/seed-data/options.ts'
import type { Plan } from './plan.ts'

/** Small enough for a thousand runs, large enough for several slices of several pages in every stream. */
const SIZES = {
  users: 100,
  sessions: 64,
  whiteboards: 12,
  activities: 110,
  recordings: 56,
  numbers: 20,
}

/** Few rows of what is read in many lists or one by one, so that a seed with them takes no longer. */
const FEW = {
  numbers: 12,
  boards: 6,
  labels: 5,
  consents: 4,
  orders: 6,
  groups: 6,
  trunks: 6,
  peering: 14,
  'list:storage_locations': 5,
}

/** What each of these jobs asks for one by one. */
const ONE_BY_ONE = { 'user-details': { users: 26 }, 'recording-details': { recordings: 22 } }

/** Shorter than the service's own six months: a few windows show what many would. */
export const HORIZON_DAYS = 56

export const START = '2026-07-08T02:30:00Z'

export function sizesOf({ mix, jobs }: Plan): Sizes {
  if (mix === undefined) return SIZES
  const sizes: Sizes = { ...SIZES, ...FEW }
  for (const [job, few] of Object.entries(ONE_BY_ONE))
    if (jobs.includes(job)) Object.assign(sizes, few)
  return sizes
}

export function seedDataOptions(plan: Plan): SandboxOptions {
  return {
    seed: plan.seed,
    sizes: sizesOf(plan),
    historyDays: HORIZON_DAYS - 4,
    readings: plan.readings ?? {},
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
