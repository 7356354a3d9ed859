import type { Transaction } from '../warehouse/connect.ts'
import { addVouched, type EntryFact, type Voucher } from './add-entries.ts'
import { entriesOf } from './sql/manifest.ts'
import { sliceBatches } from './sql/slice-lines.ts'
import { standing } from './standing-statement.ts'
import { batchFact, withdrawn } from './statement-facts.ts'

/**
 * Restates batches that lost rows, in the transaction that removed the rows: withdraws each earlier statement
 * and states the remaining rows. Skips batches without a valid statement.
 */
export async function restateSlices(
  tx: Transaction,
  vouching: Voucher & { account: string },
  subjects: readonly string[],
): Promise<void> {
  const { account } = vouching
  const said = await entriesOf(tx, account, { subjects, kinds: ['statement', 'erasure'] })
  const stated = [...Map.groupBy(said, ({ subject }) => subject)]
    .filter(([, entries]) => standing(entries).statement !== undefined)
    .map(([subject]) => subject)
  if (stated.length === 0) return
  const facts: EntryFact[] = stated.map(withdrawn)
  for await (const batch of sliceBatches(tx, { account, subjects: stated }))
    facts.push(batchFact(batch))
  await addVouched(tx, vouching, facts)
}
