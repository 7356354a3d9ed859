import { TileProofs } from '../../evidence/tlog/tile-proofs.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import { readTiles } from '../../warehouse/evidence/tree-tiles.ts'

/** Proofs in the tree over an account's entries, from the tiles that the database keeps. */
export function proofsOf(tx: Transaction, account: string): TileProofs {
  return new TileProofs(async (place) => {
    const [tile] = await readTiles(tx, account, [place])
    return tile?.hashes ?? Buffer.alloc(0)
  })
}
