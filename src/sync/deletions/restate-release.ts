import { enterRows } from '../../evidence/enter-rows.ts'
import { signsEvidence } from '../../evidence/signs-evidence.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { RunContext } from '../run/run-context.ts'

/**
 * States the release of a stream's drop again if a person gave it during the run: it includes what the run
 * held back since.
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
