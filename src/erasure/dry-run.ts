import { sql } from 'kysely'
import type { Warehouse } from '../warehouse/connect.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import type { ErasureDeps } from './erasing.ts'

/** Runs `work` in one transaction and rolls it back, so that a dry run executes the real statements. */
export async function inDryRun<T>(
  deps: ErasureDeps,
  lease: Lease,
  work: (deps: ErasureDeps, lease: Lease) => Promise<T>,
): Promise<T> {
  const { warehouse } = deps
  // A lease check would lock the lease's row, which must be renewed during this long transaction.
  const unchecked = { ...lease, check: () => Promise.resolve() }
  return await retryDatabase(deps, () =>
    warehouse.transaction(
      async (tx, client) => {
        // Between two statements, reading large report files may take longer than the timeout.
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
        const transaction: Warehouse['transaction'] = (inner) => inner(tx, client)
        return await work({ ...deps, warehouse: { ...warehouse, db: tx, transaction } }, unchecked)
      },
      { undo: true, once: true },
    ),
  )
}
