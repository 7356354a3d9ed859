import type { Transaction } from '../../warehouse/connect.ts'
import { type ReadCheckpoint, readCheckpoint } from '../log/checkpoint.ts'
import { isConsistent } from '../log/tile-proofs.ts'
import type { HeadRow } from '../sql/heads.ts'
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
  { number, checkpoint, public_key: publicKey }: HeadRow & { checkpoint: string },
): OurLog {
  const state = readCheckpoint(checkpoint)
  if (state === undefined) throw new Error(`The checkpoint of head ${number} is none`)
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
