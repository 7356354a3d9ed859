import { hash } from 'node:crypto'
import { HASH_BYTES, MerkleRoot } from './merkle.ts'

/**
 * Some hashes of a tile (c2sp.org/tlog-tiles). A full tile has 256 hashes: of leaves in level 0, and of roots
 * of full tiles one level below in the higher levels.
 */
export interface TilePart {
  level: number
  tile: number
  /** The index of the first of these hashes in its tile. */
  start: number
  /** The concatenated hashes. */
  hashes: Buffer
}

/** The number of hashes in a tile at the right edge of a tree. */
export interface EdgeTile {
  level: number
  tile: number
  width: number
}

/** The partial tile at the right edge of each level; it may be empty. */
export function edgeTiles(size: number): EdgeTile[] {
  return Array.from({ length: LEVELS }, (_, level) => {
    const nodes = Math.floor(size / TILE_HASHES ** level)
    return { level, tile: Math.floor(nodes / TILE_HASHES), width: nodes % TILE_HASHES }
  })
}

/** A tree that can grow, represented by its right edge: at most 256 hashes per level. */
export class TreeEdge {
  readonly #levels: EdgeLevel[] = []
  #whole: TilePart[] = []
  #size = 0

  /** Restores a tree of this size from its tiles; undefined unless they contain exactly its right edge. */
  static at(
    size: number,
    hashesOf: (edge: EdgeTile) => Uint8Array | undefined,
  ): TreeEdge | undefined {
    const tree = new TreeEdge()
    for (const edge of edgeTiles(size)) {
      const hashes = hashesOf(edge) ?? Buffer.alloc(0)
      if (hashes.length !== edge.width * HASH_BYTES) return undefined
      tree.#levels.push(new EdgeLevel(edge, hashes))
    }
    tree.#size = size
    return tree
  }

  get size(): number {
    return this.#size
  }

  add(leaf: Buffer): void {
    this.#size++
    let node = leaf
    for (let level = 0; ; level++) {
      const one = (this.#levels[level] ??= new EdgeLevel({ level, tile: 0 }))
      one.add(node)
      if (one.width < TILE_HASHES) return
      node = one.root()
      this.#whole.push(...one.take())
      one.next()
    }
  }

  root(): Buffer {
    let root: Buffer | undefined
    for (const level of this.#levels) if (level.width > 0) root = level.root(root)
    return root ?? hash('sha256', '', 'buffer')
  }

  /** The hashes that were not taken yet, by tile; with `whole`, only those of tiles that are full now. */
  take({ whole = false } = {}): TilePart[] {
    const taken = this.#whole
    this.#whole = []
    return whole ? taken : [...taken, ...this.#levels.flatMap((level) => level.take())]
  }
}

/** The tile at the right edge of one level. */
class EdgeLevel {
  readonly #level: number
  #tile: number
  #hashes = Buffer.alloc(TILE_HASHES * HASH_BYTES)
  #tree = new MerkleRoot()
  #taken: number

  constructor(
    { level, tile }: Pick<EdgeTile, 'level' | 'tile'>,
    hashes: Uint8Array = Buffer.alloc(0),
  ) {
    this.#level = level
    this.#tile = tile
    for (let at = 0; at < hashes.length; at += HASH_BYTES)
      this.add(Buffer.from(hashes.subarray(at, at + HASH_BYTES)))
    this.#taken = this.width
  }

  get width(): number {
    return this.#tree.leaves
  }

  add(node: Buffer): void {
    node.copy(this.#hashes, this.width * HASH_BYTES)
    this.#tree.add(node)
  }

  /** The root over its hashes and `right`, the root over the levels below. */
  root(right?: Buffer): Buffer {
    return this.#tree.root(right)
  }

  take(): TilePart[] {
    const start = this.#taken
    if (start === this.width) return []
    this.#taken = this.width
    const hashes = Buffer.from(this.#hashes.subarray(start * HASH_BYTES, this.width * HASH_BYTES))
    return [{ level: this.#level, tile: this.#tile, start, hashes }]
  }

  next(): void {
    this.#tile++
    this.#tree = new MerkleRoot()
    this.#taken = 0
  }
}

export const TILE_HASHES = 256
/** The number of levels of a tree with 2^53 leaves. */
const LEVELS = 7
