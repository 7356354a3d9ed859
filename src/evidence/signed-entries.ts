import type { Transaction } from '../warehouse/connect.ts'
import { isCheckpointOf, readCheckpoint } from './log/checkpoint.ts'
import { leafHash, rootFromProof } from './log/merkle.ts'
import { readPublicKey } from './log/signing-key.ts'
import { lastCheckpoint } from './sql/checkpoints.ts'
import type { ManifestRow } from './sql/manifest.ts'
import { proofsOf } from './sql/proofs-of.ts'
import { explainedBy } from './unexplained.ts'

export type IsSigned = (entry: ManifestRow) => Promise<boolean>

/**
 * An entry under the newest checkpoint counts as signed if the tiles prove it. A later entry counts if the
 * key vouched for it or a person accepted it. No entry counts while the account has no validly signed
 * checkpoint.
 */
export async function signedEntries(tx: Transaction, account: string): Promise<IsSigned> {
  const newest = await lastCheckpoint(tx, account)
  const checkpoint = readCheckpoint(newest?.note ?? '')
  const key = readPublicKey(newest?.key ?? '')
  if (checkpoint === undefined || key === undefined || !isCheckpointOf(checkpoint, key))
    return async () => await Promise.resolve(false)
  const { size, root } = checkpoint
  const proofs = proofsOf(tx, account)
  const isExplained = await explainedBy(tx, account, [key])
  return async (entry) => {
    const { seq, line } = entry
    if (seq > size) return isExplained(entry)
    const path = await proofs.inclusion(seq - 1, size)
    const found = path && rootFromProof(leafHash(line), { index: seq - 1, size }, path)
    return found?.equals(root) === true
  }
}
