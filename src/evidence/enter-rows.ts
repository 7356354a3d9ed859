import type { Transaction } from '../warehouse/connect.ts'
import { addVouched, type Voucher } from './add-entries.ts'
import { type RowsWanted, statedRows } from './sql/ledger-lines.ts'
import { rowFact } from './statement-facts.ts'

/**
 * States rows of a ledger as they are now, signed with the key, in the transaction that wrote or changed
 * them.
 */
export async function enterRows(
  tx: Transaction,
  { account, key, basis }: Voucher & { account: string },
  wanted: Omit<RowsWanted, 'account'>,
): Promise<void> {
  const facts = []
  for await (const row of statedRows(tx, { account, ...wanted })) facts.push(rowFact(row))
  await addVouched(tx, { account, key, basis }, facts)
}
