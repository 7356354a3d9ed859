import type { LabelQuotas } from '../../sandbox/seed-data/options.ts'

/** The sandbox's quotas in the form of the setting `quotas`, which has no `pool`: the documents define it. */
export function settableQuotas(quotas: LabelQuotas) {
  return Object.fromEntries(
    Object.entries(quotas).map(([label, limits]) => [label, { ...limits, pool: undefined }]),
  )
}
