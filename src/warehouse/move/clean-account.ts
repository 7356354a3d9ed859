import { sql } from 'kysely'
import { point } from '../../core/kill-point.ts'
import type { Transaction, Warehouse } from '../connect.ts'
import type { AccountTable } from './account-tables.ts'

/** Ends all work on an account in this database: no process keeps or gets the account's lease. */
export async function markMoved(
  tx: Transaction,
  { account, to }: { account: string; to: string },
): Promise<void> {
  await tx
    .updateTable('callsheet.leases')
    .set(({ eb }) => ({ moved_to: to, epoch: eb('epoch', '+', 1), holder: null }))
    .where('account', '=', account)
    .execute()
}

/**
 * Removes a moved account's rows, in batches. A batch of a partitioned table may also remove further rows of
 * the account, which have the same place in another partition.
 */
export async function cleanAccount(
  warehouse: Warehouse,
  {
    account,
    tables,
    signal,
  }: { account: string; tables: readonly AccountTable[]; signal: AbortSignal },
): Promise<void> {
  for (const { name, onlyAdded } of tables)
    for (let last = ROWS_A_BATCH; last >= ROWS_A_BATCH; ) {
      const table = sql.table(name)
      signal.throwIfAborted()
      await point('move:cleaning')
      last = await warehouse.transaction(async (tx) => {
        if (onlyAdded) await sql`alter table ${table} disable trigger only_added`.execute(tx)
        const { numAffectedRows = 0n } = await sql`
          delete from ${table} where account = ${account} and ctid = any(array(
            select ctid from ${table} where account = ${account} limit ${ROWS_A_BATCH}))`.execute(
          tx,
        )
        if (onlyAdded) await sql`alter table ${table} enable trigger only_added`.execute(tx)
        return Number(numAffectedRows)
      })
    }
}

const ROWS_A_BATCH = 5_000
