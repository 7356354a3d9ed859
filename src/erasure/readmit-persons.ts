import type { Observer } from '../core/define/observer.ts'
import type { Identity } from '../core/persons/identity.ts'
import type { Clock } from '../core/time/clock.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { acquireLease } from '../warehouse/ledger/lease.ts'
import { inTransaction } from '../warehouse/ledger/retry-database.ts'
import { clearNotes } from './noted-erasures.ts'
import type { NotingDeps } from './noted-key.ts'
import { readmit } from './sql/suppressions.ts'
import { stateSuppressed } from './state-suppressed.ts'

export interface ReadmitDeps extends NotingDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
}

/**
 * Allows the next full sync to store erased persons again. Erased data stays erased. Works under the
 * account's lease, because a running erasure would reopen its request. Throws BusyError while another process
 * has the lease.
 */
export async function readmitPersons(
  deps: ReadmitDeps,
  { account, persons }: { account: string; persons: readonly Identity[] },
): Promise<{ closed: number; taken: number }> {
  const { warehouse, clock } = deps
  const lease = await acquireLease(warehouse, { account, job: 'erase', clock })
  try {
    const readmitted = await inTransaction({ ...deps, lease }, async (tx) => {
      const { requests, ...counted } = await readmit(tx, account, persons)
      if (requests.length > 0) await stateSuppressed(tx, { account, key: deps.key() }, requests)
      return counted
    })
    await clearNotes(deps, warehouse.db, { account, persons })
    return readmitted
  } finally {
    await lease.release()
  }
}
