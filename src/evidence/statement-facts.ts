import type { Transaction } from '../warehouse/connect.ts'
import type { EntryFact } from './add-entries.ts'
import { lineContent } from './log/digest.ts'
import { erasureOf } from './log/erased-kinds.ts'
import { HASH_BYTES, MerkleRoot } from './log/merkle.ts'
import { type RowLedger, type StatedRow, statedRows } from './sql/ledger-lines.ts'
import { type SliceBatch, sliceBatches } from './sql/slice-lines.ts'

/** The statement about a batch of slices: their number, and the root over the hashes of their lines. */
export function batchFact({ subject, leaves }: Pick<SliceBatch, 'subject' | 'leaves'>): EntryFact {
  const tree = new MerkleRoot()
  for (let at = 0; at < leaves.length; at += HASH_BYTES)
    tree.add(leaves.subarray(at, at + HASH_BYTES))
  return { kind: 'statement', subject, size: tree.leaves, content: tree.root() }
}

/** The statement about one row. */
export function rowFact({ subject, line }: StatedRow): EntryFact {
  return { kind: 'statement', subject, size: 1, content: lineContent(line) }
}

/** The statements that describe a ledger as it is now, by subject. */
export async function* ledgerFacts(
  tx: Transaction,
  account: string,
  ledger: RowLedger | 'slices',
): AsyncGenerator<EntryFact> {
  if (ledger === 'slices')
    for await (const batch of sliceBatches(tx, { account })) yield batchFact(batch)
  else for await (const row of statedRows(tx, { account, ledger })) yield rowFact(row)
}

/** The entry that withdraws an earlier statement. */
export function withdrawn(subject: string): EntryFact {
  return { kind: 'erasure', subject, ...erasureOf(['statement']) }
}
