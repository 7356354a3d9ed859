import { HASH_BYTES, nodeHash } from './merkle.ts'

/** A step on a path to the root: a node, its place in its level, and how many hashes remain. */
interface Step {
  node: Buffer
  at: number
  left: number
}

/**
 * Computes the roots that paths in a tree lead to, as `rootFromProof` does. Paths of neighboring leaves soon
 * meet, and their shared part is hashed only once.
 */
export class PathRoots {
  /** The steps of the previous path, from the leaf up. */
  readonly #steps: Step[] = []
  #path: readonly string[] = []
  #size = 0
  /** The root that the previous path led to; undefined if it was invalid. */
  #root: Buffer | undefined

  /** The root that the path leads to; undefined if leaf and path do not fit into a tree of this size. */
  root(
    leaf: Buffer,
    { index, size }: { index: number; size: number },
    path: readonly string[],
  ): Buffer | undefined {
    const known = this.#root !== undefined && this.#size === size
    const root = this.#walk({ node: leaf, at: index, left: path.length }, path, {
      width: index < 0 || index >= size ? Number.NaN : size,
      alike: known ? alikeAtEnd(this.#path, path) : -1,
    })
    this.#root = root
    this.#path = path
    this.#size = size
    return root
  }

  #walk(
    leaf: Step,
    path: readonly string[],
    { width: leaves, alike }: { width: number; alike: number },
  ): Buffer | undefined {
    if (Number.isNaN(leaves)) return undefined
    let { node, at, left } = leaf
    let height = 0
    for (let width = leaves; width > 1; width = Math.ceil(width / 2)) {
      const before = left <= alike ? this.#steps[height] : undefined
      if (before?.at === at && before.left === left && before.node.equals(node)) return this.#root
      this.#steps[height++] = { node, at, left }
      const alone = at === width - 1 && at % 2 === 0
      if (!alone) {
        const sibling = Buffer.from(path.at(-left--) ?? '', 'base64')
        if (left < 0 || sibling.length !== HASH_BYTES) return undefined
        node = at % 2 === 0 ? nodeHash(node, sibling) : nodeHash(sibling, node)
      }
      at = Math.floor(at / 2)
    }
    return left === 0 ? node : undefined
  }
}

/** The number of equal hashes at the ends of two paths. */
function alikeAtEnd(one: readonly string[], other: readonly string[]): number {
  let alike = 0
  while (alike < one.length && alike < other.length && one.at(-1 - alike) === other.at(-1 - alike))
    alike++
  return alike
}
