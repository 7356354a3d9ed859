import type { LabelQuotas } from '../../../sandbox/seed-data/options.ts'

/**
 * Returns the sandbox's limits as an account's `quotas`. Omits `pool`, because the documents fix which labels
 * share a daily quota.
 */
export function quotaSettings(quotas: LabelQuotas): Record<string, Record<string, number>> {
  return Object.fromEntries(
    Object.entries(quotas).map(([label, limits]) => {
      const settings = Object.entries(limits).filter(([name]) => name !== 'pool')
      return [label, Object.fromEntries(settings)]
    }),
  )
}
