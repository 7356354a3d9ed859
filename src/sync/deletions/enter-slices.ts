import { SLICES } from '../../core/records/statement.ts'
import { addVouched } from '../../evidence/add-entries.ts'
import { signsEvidence } from '../../evidence/signs-evidence.ts'
import { lockManifest } from '../../evidence/sql/manifest.ts'
import { batchFact } from '../../evidence/statement-facts.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { recordSlices, type SliceEntry } from '../ledger/coverage.ts'
import type { RunContext } from '../run/run-context.ts'

interface EnteredSlices {
  /** Their number in the run. */
  batch: number
  stream: { name: string }
  entries: readonly SliceEntry[]
}

/**
 * Records slices of one stream and, where evidence is kept, states them in the manifest in the same
 * transaction, vouched for with the key. So no recorded slice lacks a statement, and write access to the
 * database alone is not enough to make one.
 */
export async function enterSlices(
  tx: Transaction,
  run: Pick<RunContext, 'account' | 'runId' | 'archive' | 'evidence'>,
  { batch, stream, entries }: EnteredSlices,
): Promise<void> {
  const { account, runId } = run
  const signing = await signsEvidence(tx, run)
  if (signing === undefined) {
    await recordSlices(tx, { account, runId }, entries)
    return
  }
  // Before the rows: an erasure takes the two locks in this order.
  await lockManifest(tx, account)
  const recorded = await recordSlices(tx, { account, runId, batch }, entries)
  if (recorded.length === 0) return
  const named = recorded.map(({ slice, leaf }) => ({ name: Buffer.from(slice), leaf }))
  // As the database orders them: by their bytes.
  named.sort((a, b) => Buffer.compare(a.name, b.name))
  const leaves = Buffer.concat(named.map(({ leaf }) => leaf))
  const subject = `${SLICES}/${stream.name}/${runId}/${batch}`
  const vouching = { account, key: signing.key, basis: `run ${runId}` }
  await addVouched(tx, vouching, [batchFact({ subject, leaves })])
}
