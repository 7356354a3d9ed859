import { sql } from 'kysely'
import type { Transaction } from '../warehouse/connect.ts'
import { enterRows } from './enter-rows.ts'
import type { StatingDeps } from './log/evidence-access.ts'
import { signsEvidence } from './signs-evidence.ts'

/**
 * States the rows that this transaction wrote and removed, so call it after the last write. The database also
 * lists changes by other programs, but nobody states those.
 */
export async function stateWritten(
  tx: Transaction,
  deps: StatingDeps & { account: string },
): Promise<void> {
  const batch = await writtenBatch(tx, deps.account)
  if (batch === undefined) return
  const signing = await signsEvidence(tx, deps)
  if (signing === undefined) return
  const vouching = { account: deps.account, key: signing.key, basis: 'rows' }
  await enterRows(tx, vouching, { ledger: 'rows', subjects: [`ledger/rows/${batch}`] })
}

/** The number under which the database recorded this transaction's changes; undefined if there are none. */
export async function writtenBatch(tx: Transaction, account: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('callsheet.written')
    .select('batch')
    .where('account', '=', account)
    .where('batch', '=', sql<string>`callsheet.row_batch()`)
    .limit(1)
    .executeTakeFirst()
  return row?.batch
}
