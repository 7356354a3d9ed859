import {
  createGovernor,
  type Governor,
  type GovernorOptions,
} from '../../src/api/quota/governor.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { QUOTA_PRESETS } from '../../src/core/define/quota.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { memoryLedger } from './memory-stores.ts'

export const NOON = Date.UTC(2026, 4, 4, 12)

/** A governor with its own ledger and clock, at noon. */
export function governorOf(options: Partial<GovernorOptions> = {}): Governor {
  return createGovernor({
    quotas: QUOTA_PRESETS.business,
    reserve: 0,
    ledger: memoryLedger(),
    clock: manualClock(NOON),
    random: () => 0.5,
    observer: silentObserver,
    ...options,
  })
}
