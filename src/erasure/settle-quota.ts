import { utcDay } from '../core/time/time.ts'
import type { Transaction } from '../warehouse/connect.ts'
import type { Restored } from '../warehouse/ledger/lineage.ts'
import { raiseSpent } from '../warehouse/ledger/quota-ledger.ts'
import type { RestoreDeps } from './restoring.ts'

/**
 * What counts as spent of today's calls: `noted`: what this machine noted when it last stopped. `unknown`:
 * the whole day, where it was killed at its work or has no note at all. Never less than the database says.
 */
export type QuotaKnown = 'noted' | 'unknown'

/** Calls of today that the backup knows nothing of are not made again: less may be left than is thought. */
export async function settleQuota(
  tx: Transaction,
  { clock, pools }: Pick<RestoreDeps, 'clock' | 'pools'>,
  { account, restored }: { account: string; restored: Restored | undefined },
): Promise<QuotaKnown> {
  const day = utcDay(clock.now())
  const ended = restored?.note.ended
  if (ended !== undefined) {
    const spent = ended.day === day ? Object.entries(ended.spent) : []
    for (const [pool, calls] of spent) await raiseSpent(tx, { account, pool, day, spent: calls })
    return 'noted'
  }
  for (const [pool, limit] of pools)
    if (limit !== undefined) await raiseSpent(tx, { account, pool, day, spent: limit })
  return 'unknown'
}
