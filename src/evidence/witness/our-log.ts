import type { Transaction } from '../../warehouse/connect.ts'
import { isCheckpointOf, type ReadCheckpoint, readCheckpoint } from '../log/checkpoint.ts'
import { readPublicKey } from '../log/signing-key.ts'
import { isConsistent } from '../log/tile-proofs.ts'
import type { CheckpointRow } from '../sql/checkpoints.ts'
import { proofsOf } from '../sql/proofs-of.ts'

/** The log as the newest checkpoint signs it. */
export interface OurLog {
  checkpoint: string
  state: ReadCheckpoint
  publicKey: Buffer
  /**
   * The root that the tree had at that size, and the proof that it went on from there; undefined where the
   * tiles do not give it.
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
 * Whether the key of our checkpoint signed the one that is shown too, of the same log, and our tree does not
 * begin with it: the two notes prove that its holder signed two logs. False where that cannot be told, e.g.
 * where the other one is of more entries than we have.
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
