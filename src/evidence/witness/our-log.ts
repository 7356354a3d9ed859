import type { Transaction } from '../../warehouse/connect.ts'
import { type ReadCheckpoint, readCheckpoint } from '../log/checkpoint.ts'
import { isConsistent } from '../log/tile-proofs.ts'
import type { CheckpointRow } from '../sql/checkpoints.ts'
import { proofsOf } from '../sql/proofs-of.ts'

export interface OurLog {
  checkpoint: string
  state: ReadCheckpoint
  /** The proof that the checkpoint continues our tree of this size; undefined if the tiles give none. */
  since(size: number): Promise<Buffer[] | undefined>
}

export function ourLog(
  tx: Transaction,
  account: string,
  { size: entries, note: checkpoint }: CheckpointRow,
): OurLog {
  const state = readCheckpoint(checkpoint)
  if (state === undefined) throw new Error(`The checkpoint over ${entries} entries is none`)
  const proofs = proofsOf(tx, account)
  return {
    checkpoint,
    state,
    async since(size) {
      const root = size === 0 ? Buffer.alloc(32) : await proofs.root(size)
      const proof = await proofs.consistency(size, state.size)
      if (root === undefined || proof === undefined) return undefined
      return isConsistent({ size, root }, state, proof) ? proof : undefined
    },
  }
}
