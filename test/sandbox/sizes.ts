import type { LabelQuotas } from '../../sandbox/seed-data/options.ts'

export const SMALL_SIZES = {
  users: 900,
  sessions: 3000,
  whiteboards: 300,
  activities: 4000,
  recordings: 1000,
  numbers: 1100,
}

/** Quotas for tests that read details one by one, as fast as the machine can. */
export const WIDE_QUOTAS: LabelQuotas = {
  LIGHT: { perSecond: 1_000_000, pool: 'LIGHT' },
  MEDIUM: { perSecond: 1_000_000, pool: 'MEDIUM' },
  HEAVY: { perSecond: 1_000_000, pool: 'HEAVY' },
  'RESOURCE-INTENSIVE': { perMinute: 1_000_000, pool: 'HEAVY' },
}
