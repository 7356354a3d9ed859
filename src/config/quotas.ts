import {
  defaultPool,
  LEARN_ALL,
  QUOTA_PRESETS,
  type Quotas,
  RATE_LABELS,
} from '../core/define/quota.ts'
import type { AccountSettings } from './account-settings.ts'

/** Returns the governor's quotas: a plan's figures, explicit ones, or none, which are then learned. */
export function quotasOf(setting: AccountSettings['quotas']): Quotas {
  if (setting === 'learn') return LEARN_ALL
  if (typeof setting === 'string') return QUOTA_PRESETS[setting]
  const entries = RATE_LABELS.map((label) => {
    const given = setting[label]
    if (given === 'learn') return [label, given]
    const limits = Object.entries(given).filter(([, value]) => value !== undefined)
    return [label, { pool: defaultPool(label), ...Object.fromEntries(limits) }]
  })
  return Object.fromEntries(entries) as Quotas
}
