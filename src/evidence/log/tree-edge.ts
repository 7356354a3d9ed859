import { hash } from 'node:crypto'
import { HASH_BYTES, MerkleRoot } from './merkle.ts'

/**
 * The hashes of a tree as tiles (c2sp.org/tlog-tiles): a tile of level 0 is 256 leaves, and each hash of a
 * tile above is the root of a whole tile below.
 */
export interface TilePart {
  level: number
  tile: number
  /** The place in its tile of the first of these hashes. */
  start: number
  /** One after the other. */
  hashes: Buffer
}

/** How many hashes a tile at the right edge of a tree holds. */
export interface EdgeTile {
  level: number
  tile: number
  width: number
}

/** Of each level the tile at the right edge that is not whole; it may hold nothing yet. */
export function edgeTiles(size: number): EdgeTile[] {
  return Array.from({ length: LEVELS }, (_, level) => {
    const nodes = Math.floor(size / TILE_HASHES ** level)
    return { level, tile: Math.floor(nodes / TILE_HASHES), width: nodes % TILE_HASHES }
  })
}

/**
 * A tree that leaves are added to, by its right edge alone: 256 hashes at most for each level. What is new in
 * its tiles is taken from it, and goes on after that.
 */
export class TreeEdge {
  readonly #levels: EdgeLevel[] = []
  #whole: TilePart[] = []
  #size = 0

  /** The tree of that size as its tiles tell; undefined where they do not hold exactly its right edge. */
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

  /** The hashes that came since this was asked last, by their tiles; `whole`: of tiles that are full now. */
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

  /** Over its hashes, and what stands right of them. */
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
/** As many as a tree of 2^53 leaves has. */
const LEVELS = 7
