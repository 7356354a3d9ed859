import { HASH_BYTES, nodeHash } from './merkle.ts'
import { TILE_HASHES } from './tree-edge.ts'

/** Returns the concatenated hashes of a tile; fewer or none if the tile is incomplete. */
export type ReadTile = (place: { level: number; tile: number }) => Promise<Uint8Array>

/** Makes proofs (RFC 6962, 2.1.1 and 2.1.2) for a tree from its tiles alone. Caches the latest tiles. */
export class TileProofs {
  readonly #read: ReadTile
  /** The nodes of each tile: its hashes, then, level by level, the nodes over complete pairs. */
  readonly #kept = new Map<string, Buffer[]>()

  constructor(read: ReadTile) {
    this.#read = read
  }

  /** The sibling hashes from the leaf up; undefined if a tile lacks a hash or the leaf does not exist. */
  async inclusion(index: number, size: number): Promise<Buffer[] | undefined> {
    return index < size ? await this.#hashes(inclusionRanges(index, size)) : undefined
  }

  /** The proof that `to` leaves continue `from` leaves; undefined if `from` > `to` or a hash is missing. */
  async consistency(from: number, to: number): Promise<Buffer[] | undefined> {
    return from <= to ? await this.#hashes(consistencyRanges(from, to)) : undefined
  }

  /** The root over the first `size` leaves; undefined for an empty tree, or if a tile lacks a hash. */
  async root(size: number): Promise<Buffer | undefined> {
    return size > 0 ? await this.#over([0, size]) : undefined
  }

  async #hashes(ranges: readonly Range[]): Promise<Buffer[] | undefined> {
    const hashes: Buffer[] = []
    for (const range of ranges) {
      const hash = await this.#over(range)
      if (hash === undefined) return undefined
      hashes.push(hash)
    }
    return hashes
  }

  /** The root over a range, which must start at a multiple of the largest power of two within its length. */
  async #over([from, to]: Range): Promise<Buffer | undefined> {
    const nodes: Buffer[] = []
    for (let at = from; at < to; ) {
      const leaves = largestPower(to - at)
      const node = await this.#node(Math.log2(leaves), at / leaves)
      if (node === undefined) return undefined
      nodes.push(node)
      at += leaves
    }
    return nodes.reduceRight((right, left) => nodeHash(left, right))
  }

  async #node(height: number, index: number): Promise<Buffer | undefined> {
    const above = height % TILE_HEIGHT
    const across = TILE_HASHES / 2 ** above
    const place = { level: Math.floor(height / TILE_HEIGHT), tile: Math.floor(index / across) }
    const nodes = (await this.#nodes(place))[above]
    const at = (index % across) * HASH_BYTES
    return nodes === undefined || nodes.length < at + HASH_BYTES
      ? undefined
      : nodes.subarray(at, at + HASH_BYTES)
  }

  async #nodes(place: { level: number; tile: number }): Promise<Buffer[]> {
    const key = `${place.level}/${place.tile}`
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const nodes = nodesOver(Buffer.from(await this.#read(place)))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(key, nodes)
    return nodes
  }
}

/**
 * Returns true if a proof shows that the smaller tree is a prefix of the larger one (RFC 9162, 2.1.4.2).
 * Every tree continues an empty tree.
 */
export function isConsistent(
  before: { size: number; root: Uint8Array },
  after: { size: number; root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (before.size > after.size || proof.some(({ length }) => length !== HASH_BYTES)) return false
  if (before.size === after.size) return proof.length === 0 && same(before.root, after.root)
  if (before.size === 0) return proof.length === 0
  let [from, to] = [before.size - 1, after.size - 1]
  const up = (): void => void ([from, to] = [Math.floor(from / 2), Math.floor(to / 2)])
  while (from % 2 === 1) up()
  // If the size of the smaller tree is a power of two, the tree is itself a node of the larger one.
  const [first, ...rest] = from === 0 ? [before.root, ...proof] : proof
  if (first === undefined) return false
  let [left, right] = [first, first]
  for (const hash of rest) {
    if (to === 0) return false
    if (from % 2 === 1 || from === to) {
      left = nodeHash(hash, left)
      right = nodeHash(hash, right)
      while (from % 2 === 0 && from !== 0) up()
    } else right = nodeHash(right, hash)
    up()
  }
  return to === 0 && same(left, before.root) && same(right, after.root)
}

/** A range of leaves: the index of the first one, and the index after the last one. */
type Range = readonly [number, number]

function inclusionRanges(index: number, size: number): Range[] {
  const ranges: Range[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + largestPower(to - from - 1)
    if (index < middle) {
      ranges.push([middle, to])
      to = middle
    } else {
      ranges.push([from, middle])
      from = middle
    }
  }
  return ranges.reverse()
}

function consistencyRanges(before: number, size: number): Range[] {
  if (before === 0) return []
  const ranges: Range[] = []
  let [from, to] = [0, size]
  while (before !== to) {
    const middle = from + largestPower(to - from - 1)
    if (before <= middle) {
      ranges.push([middle, to])
      to = middle
    } else {
      ranges.push([from, middle])
      from = middle
    }
  }
  if (from > 0) ranges.push([from, to])
  return ranges.reverse()
}

/** The largest power of two that is at most `count`; `count` is at least 1. */
function largestPower(count: number): number {
  let power = 1
  while (power * 2 <= count) power *= 2
  return power
}

function nodesOver(hashes: Buffer): Buffer[] {
  const levels = [hashes]
  for (let below = hashes; below.length >= 2 * HASH_BYTES; ) {
    const pairs = Math.floor(below.length / HASH_BYTES / 2)
    const level = Buffer.alloc(pairs * HASH_BYTES)
    for (let at = 0; at < pairs; at++) {
      const left = 2 * at * HASH_BYTES
      const [middle, end] = [left + HASH_BYTES, left + 2 * HASH_BYTES]
      nodeHash(below.subarray(left, middle), below.subarray(middle, end)).copy(
        level,
        at * HASH_BYTES,
      )
    }
    levels.push(level)
    below = level
  }
  return levels
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

const TILE_HEIGHT = 8
/** The number of cached tiles, about 16 kB each. A proof reads at most two per level of tiles. */
const MOST_KEPT = 64
