import { createGovernor, type Governor, type GovernorOptions } from '../../src/api/governor.ts'
import { manualClock } from '../../src/core/clock.ts'
import { silentObserver } from '../../src/core/observer.ts'
import { QUOTA_PRESETS } from '../../src/core/quota.ts'
import { memoryLedger } from './memory-stores.ts'

export const NOON = Date.UTC(2026, 4, 4, 12)

/** A governor of its own ledger and clock, at noon. */
export function governorOf(options: Partial<GovernorOptions> = {}): Governor {
  return createGovernor({
    quotas: QUOTA_PRESETS.business,
    headroom: 0,
    ledger: memoryLedger(),
    clock: manualClock(NOON),
    random: () => 0.5,
    observer: silentObserver,
    ...options,
  })
}
