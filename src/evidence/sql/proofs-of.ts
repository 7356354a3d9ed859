import type { Transaction } from '../../warehouse/connect.ts'
import { TileProofs } from '../log/tile-proofs.ts'
import { readTiles } from './tree-tiles.ts'

/** Proofs in the tree over an account's entries, from the tiles in the database. */
export function proofsOf(tx: Transaction, account: string): TileProofs {
  return new TileProofs(async (place) => {
    const [tile] = await readTiles(tx, account, [place])
    return tile?.hashes ?? Buffer.alloc(0)
  })
}
