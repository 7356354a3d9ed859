import { enterRows } from '../../evidence/enter-rows.ts'
import { signsEvidence } from '../../evidence/signs-evidence.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { RunContext } from '../run/run-context.ts'

/**
 * Repeats the evidence entry of a drop's release if a person released the drop during the run, since the drop
 * now includes rows that the run held back later.
 */
export async function restateRelease(
  tx: Transaction,
  run: Pick<RunContext, 'account' | 'runId' | 'archive' | 'evidence'>,
  stream: { name: string },
): Promise<void> {
  const { account, runId } = run
  const signing = await signsEvidence(tx, run)
  if (signing === undefined) return
  const vouching = { account, key: signing.key, basis: `run ${runId}` }
  const subjects = [`ledger/releases/${stream.name}/${runId}`]
  await enterRows(tx, vouching, { ledger: 'releases', subjects })
}
