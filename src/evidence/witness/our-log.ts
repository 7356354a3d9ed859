import type { Transaction } from '../../warehouse/connect.ts'
import { isCheckpointOf, type ReadCheckpoint, readCheckpoint } from '../log/checkpoint.ts'
import { readPublicKey } from '../log/signing-key.ts'
import { isConsistent } from '../log/tile-proofs.ts'
import type { CheckpointRow } from '../sql/checkpoints.ts'
import { proofsOf } from '../sql/proofs-of.ts'

export interface OurLog {
  checkpoint: string
  state: ReadCheckpoint
  publicKey: Buffer
  /**
   * The tree's root at this size, and the proof that our log continues that tree; undefined if the tiles do
   * not prove it.
   */
  since(size: number): Promise<{ root: Buffer; proof: Buffer[] } | undefined>
}

export function ourLog(
  tx: Transaction,
  account: string,
  { size: entries, note: checkpoint, key: publicKey }: CheckpointRow,
): OurLog {
  const state = readCheckpoint(checkpoint)
  if (state === undefined) throw new Error(`The checkpoint over ${entries} entries is none`)
  const proofs = proofsOf(tx, account)
  return {
    checkpoint,
    state,
    publicKey,
    async since(size) {
      const root = size === 0 ? Buffer.alloc(32) : await proofs.root(size)
      const proof = await proofs.consistency(size, state.size)
      if (root === undefined || proof === undefined) return undefined
      return isConsistent({ size, root }, state, proof) ? { root, proof } : undefined
    },
  }
}

/**
 * Returns true if the other checkpoint is of the same log and signed with the same key, but is no prefix of
 * our tree. The two notes then prove that the key signed two logs. False if this is unknown, e.g. if the
 * other checkpoint covers more entries than ours.
 */
export async function isFork(log: OurLog, shown: string): Promise<boolean> {
  const key = readPublicKey(log.publicKey)
  const other = readCheckpoint(shown)
  const { origin, size } = log.state
  if (key === undefined || other === undefined || !isCheckpointOf(other, key)) return false
  if (other.origin !== origin || other.size > size) return false
  const ours = other.size === size ? log.state : await log.since(other.size)
  return ours !== undefined && !ours.root.equals(other.root)
}
