import type { ReadTile } from '../../../src/evidence/log/tile-proofs.ts'
import { type EdgeTile, type TilePart, TreeEdge } from '../../../src/evidence/log/tree-edge.ts'

/** Tiles in memory. As in the database, parts can only be appended. */
export class KeptTiles {
  readonly #hashes = new Map<string, Buffer>()
  /** The places that were read, in order. */
  readonly reads: string[] = []

  add(parts: readonly TilePart[]): void {
    for (const { level, tile, start, hashes } of parts) {
      const before = this.#hashes.get(`${level}/${tile}`) ?? Buffer.alloc(0)
      if (before.length !== start * 32) throw new Error('a part that does not follow')
      this.#hashes.set(`${level}/${tile}`, Buffer.concat([before, hashes]))
    }
  }

  get places(): ReadonlyMap<string, Buffer> {
    return this.#hashes
  }

  readonly of = ({ level, tile }: Pick<EdgeTile, 'level' | 'tile'>): Buffer | undefined =>
    this.#hashes.get(`${level}/${tile}`)

  readonly read: ReadTile = (place) => {
    this.reads.push(`${place.level}/${place.tile}`)
    return Promise.resolve(this.of(place) ?? Buffer.alloc(0))
  }
}

export function tilesOver(leaves: Iterable<Buffer>): KeptTiles {
  const [tiles, tree] = [new KeptTiles(), new TreeEdge()]
  for (const leaf of leaves) tree.add(leaf)
  tiles.add(tree.take())
  return tiles
}
