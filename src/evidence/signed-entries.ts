import type { Transaction } from '../warehouse/connect.ts'
import { isCheckpointOf, readCheckpoint } from './log/checkpoint.ts'
import { leafHash, rootFromProof } from './log/merkle.ts'
import { readPublicKey } from './log/signing-key.ts'
import { lastCheckpoint } from './sql/checkpoints.ts'
import type { ManifestRow } from './sql/manifest.ts'
import { proofsOf } from './sql/proofs-of.ts'
import { explainedRanges } from './unexplained.ts'

/** Returns whether the key holder has signed or vouched for an entry. */
export type IsSigned = (entry: Pick<ManifestRow, 'seq' | 'line'>) => Promise<boolean>

/**
 * An entry is signed by its proof under the newest checkpoint or, after that, by a warrant of the key. No
 * entry is signed while there is no checkpoint that its key signed.
 */
export async function signedEntries(tx: Transaction, account: string): Promise<IsSigned> {
  const newest = await lastCheckpoint(tx, account)
  const checkpoint = readCheckpoint(newest?.note ?? '')
  const key = readPublicKey(newest?.key ?? '')
  if (checkpoint === undefined || key === undefined || !isCheckpointOf(checkpoint, key))
    return async () => await Promise.resolve(false)
  const { size, root } = checkpoint
  const proofs = proofsOf(tx, account)
  const since = joined(await explainedRanges(tx, account, { after: size, keys: [key] }))
  return async ({ seq, line }) => {
    if (seq > size) return since.some(({ first, last }) => first <= seq && seq <= last)
    const path = await proofs.inclusion(seq - 1, size)
    const found = path && rootFromProof(leafHash(line), { index: seq - 1, size }, path)
    return found?.equals(root) === true
  }
}

/** Merges adjacent ranges: each batch of a run has its own range, and lookups come in any order. */
function joined(ranges: readonly Range[]): Range[] {
  const whole: Range[] = []
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = whole.at(-1)
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last)
    else whole.push({ first, last })
  }
  return whole
}

interface Range {
  first: number
  last: number
}
