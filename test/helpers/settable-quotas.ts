import type { LabelQuotas } from '../../sandbox/seed-data/options.ts'

/** The sandbox's quotas as the setting `quotas` takes them: which labels share a day, the documents say. */
export function settableQuotas(quotas: LabelQuotas) {
  return Object.fromEntries(
    Object.entries(quotas).map(([label, limits]) => [label, { ...limits, pool: undefined }]),
  )
}
