import { hash } from 'node:crypto'

/**
 * Merkle trees as in RFC 6962 (2.1): a leaf is SHA-256(0x00 || line), a node SHA-256(0x01 || left || right),
 * and the left subtree of n leaves has the largest power of two below n.
 */
export function leafHash(line: string): Buffer {
  return hash('sha256', `\0${line}`, 'buffer')
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  NODE.set(left, 1)
  NODE.set(right, 1 + HASH_BYTES)
  return hash('sha256', NODE, 'buffer')
}

/** The root over leaves that are added one by one. Its memory grows only with the tree's height. */
export class MerkleRoot {
  /** Per height, the root of a full subtree that waits for its right neighbor. */
  readonly #waiting: (Buffer | undefined)[] = []
  #leaves = 0

  add(leaf: Buffer): void {
    let node = leaf
    let height = 0
    for (let left = this.#waiting[0]; left !== undefined; left = this.#waiting[height]) {
      node = nodeHash(left, node)
      this.#waiting[height++] = undefined
    }
    this.#waiting[height] = node
    this.#leaves++
  }

  get leaves(): number {
    return this.#leaves
  }

  /**
   * The root over the leaves so far and `right`, the root of the subtree to their right. Without leaves and
   * `right`, the SHA-256 of no bytes.
   */
  root(right?: Buffer): Buffer {
    let root = right
    for (const left of this.#waiting)
      if (left !== undefined) root = root === undefined ? left : nodeHash(left, root)
    return root ?? hash('sha256', '', 'buffer')
  }
}

/** The root that a leaf and its proof lead to; undefined if the proof does not fit the index and size. */
export function rootFromProof(
  leaf: Buffer,
  { index, size }: { index: number; size: number },
  proof: readonly Uint8Array[],
): Buffer | undefined {
  if (index < 0 || index >= size) return undefined
  let node = leaf
  let at = index
  let used = 0
  for (let width = size; width > 1; width = Math.ceil(width / 2)) {
    const alone = at === width - 1 && at % 2 === 0
    if (!alone) {
      const sibling = proof[used++]
      if (sibling?.length !== HASH_BYTES) return undefined
      node = at % 2 === 0 ? nodeHash(node, sibling) : nodeHash(sibling, node)
    }
    at = Math.floor(at / 2)
  }
  return used === proof.length ? node : undefined
}

export const HASH_BYTES = 32
/** The input of a node's hash. All nodes share it, which is safe because hashing is synchronous. */
const NODE = Buffer.alloc(1 + 2 * HASH_BYTES, 1)
