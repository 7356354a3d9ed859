import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leafHash, MerkleRoot, rootFromProof } from '../../../src/evidence/log/merkle.ts'
import { isConsistent, TileProofs } from '../../../src/evidence/log/tile-proofs.ts'
import { TreeEdge } from '../../../src/evidence/log/tree-edge.ts'
import { holds } from '../../properties/holds.ts'
import { leafOf, mth, path, proof } from './naive-tree.ts'
import { KeptTiles, tilesOver } from './tiles.ts'

const MOST = 600
const LEAVES = Array.from({ length: MOST }, (_, at) => leafOf(`leaf ${at}`))
const ROOTS = Array.from({ length: MOST + 1 }, (_, size) => mth(LEAVES.slice(0, size)))
const tiles = tilesOver(LEAVES)
const sizes = fc.integer({ min: 1, max: MOST })

describe('a tree in tiles', () => {
  it('has the root of RFC 6962 at each size, even if it is extended only from its edge', () => {
    const kept = new KeptTiles()
    let tree = new TreeEdge()
    for (const [size, root] of ROOTS.entries()) {
      expect(tree.size).toBe(size)
      expect(tree.root()).toEqual(root)
      kept.add(tree.take())
      const again = TreeEdge.at(size, kept.of)
      expect(again?.root()).toEqual(root)
      tree = again ?? tree
      const leaf = LEAVES[size]
      if (leaf !== undefined) tree.add(leaf)
    }
    expect(kept.places).toEqual(tiles.places)
  })

  it('has the tiles of the standard for 70,000 leaves', () => {
    const tree = new TreeEdge()
    const kept = new KeptTiles()
    const whole = new MerkleRoot()
    for (let at = 0; at < 70_000; at++) {
      const leaf = leafHash(String(at))
      tree.add(leaf)
      whole.add(leaf)
      if (at % 3_000 === 0) kept.add(tree.take({ whole: at % 2_000 === 0 }))
    }
    kept.add(tree.take())
    expect(tree.root()).toEqual(whole.root())
    const widths = [...kept.places].map(([place, hashes]) => [place, hashes.length / 32] as const)
    const partial = widths.filter(([, width]) => width !== 256)
    expect(widths).toHaveLength(273 + 1 + 1 + 1 + 1)
    expect(Object.fromEntries(partial)).toEqual({ '0/273': 112, '1/1': 17, '2/0': 1 })
    expect(TreeEdge.at(70_000, kept.of)?.root()).toEqual(whole.root())
  })

  it('is refused if its edge has a wrong number of hashes', () => {
    expect(TreeEdge.at(MOST, tiles.of)?.root()).toEqual(ROOTS[MOST])
    for (const size of [MOST - 1, MOST + 1, 256, 512])
      expect(TreeEdge.at(size, tiles.of)).toBeUndefined()
    expect(TreeEdge.at(0, tiles.of)).toBeUndefined()
    expect(TreeEdge.at(0, () => undefined)?.root()).toEqual(ROOTS[0])
  })
})

describe('a proof from tiles', () => {
  it('of inclusion is that of RFC 6962, and is valid only for its own leaf', async () => {
    const proofs = new TileProofs(tiles.read)
    const checked = fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (size, one, two) => {
      const [index, other] = [one % size, two % size]
      const made = (await proofs.inclusion(index, size)) ?? []
      expect(made).toEqual(path(index, LEAVES.slice(0, size)))
      const leaf = LEAVES[index] ?? Buffer.alloc(0)
      expect(rootFromProof(leaf, { index, size }, made)).toEqual(ROOTS[size])
      if (other !== index)
        expect(rootFromProof(leaf, { index: other, size }, made)).not.toEqual(ROOTS[size])
    })
    await holds(checked, 400)
    expect(await proofs.inclusion(MOST, MOST)).toBeUndefined()
    expect(await proofs.inclusion(0, MOST + 1)).toBeUndefined()
  })

  it('of consistency is that of RFC 6962, and is valid only for its own pair', async () => {
    const proofs = new TileProofs(tiles.read)
    const checked = fc.asyncProperty(sizes, sizes, fc.nat(), async (a, b, drawn) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      const made = (await proofs.consistency(from, to)) ?? []
      expect(made).toEqual(proof(from, LEAVES.slice(0, to)))
      const [before, after] = [treeOf(from), treeOf(to)]
      expect(isConsistent(before, after, made)).toBe(true)
      const wrong = ROOTS[(to + 1 + (drawn % MOST)) % (MOST + 1)] ?? Buffer.alloc(0)
      expect(isConsistent(before, { size: to, root: wrong }, made)).toBe(false)
      if (from === to) return
      const other = ROOTS[(from + 1 + (drawn % MOST)) % (MOST + 1)] ?? Buffer.alloc(0)
      expect(isConsistent({ size: from, root: other }, after, made)).toBe(false)
      expect(isConsistent(before, after, [...made, other])).toBe(false)
      expect(isConsistent(before, after, made.slice(1))).toBe(false)
      expect(isConsistent(after, before, made)).toBe(false)
    })
    await holds(checked, 400)
    expect(isConsistent(treeOf(0), treeOf(7), [])).toBe(true)
    expect(isConsistent(treeOf(0), treeOf(7), [leafOf('')])).toBe(false)
    expect(await proofs.consistency(5, 4)).toBeUndefined()
  })

  it('reads at most two tiles per level, even in a tree of ten million leaves', async () => {
    // All leaves are equal, so all full tiles of a level are equal.
    const size = 10_000_000
    const kept = alike(size)
    for (const index of [0, 77, 5_000_000, size - 1]) {
      const proofs = new TileProofs(kept.read)
      const made = (await proofs.inclusion(index, size)) ?? []
      const root = TreeEdge.at(size, kept.of)?.root()
      expect(rootFromProof(SAME, { index, size }, made)).toEqual(root)
      expect(new Set(kept.reads).size).toBe(kept.reads.length)
      expect(kept.reads.length).toBeLessThanOrEqual(2 * 3)
      kept.reads.length = 0
    }
    const proofs = new TileProofs(kept.read)
    const before = TreeEdge.at(9_000_001, alike(9_000_001).of)?.root() ?? Buffer.alloc(0)
    const after = TreeEdge.at(size, kept.of)?.root() ?? Buffer.alloc(0)
    const made = (await proofs.consistency(9_000_001, size)) ?? []
    expect(isConsistent({ size: 9_000_001, root: before }, { size, root: after }, made)).toBe(true)
    expect(kept.reads.length).toBeLessThanOrEqual(2 * 3)
  })
})

function treeOf(size: number): { size: number; root: Buffer } {
  return { size, root: ROOTS[size] ?? Buffer.alloc(0) }
}

const SAME = leafOf('the same')

/** The tiles of a tree whose leaves are all equal, computed on demand. */
function alike(size: number): KeptTiles {
  const nodes = [SAME]
  const hashAt = (level: number): Buffer =>
    (nodes[level] ??= mth(Array.from({ length: 256 }, () => hashAt(level - 1))))
  return new (class extends KeptTiles {
    override readonly of = ({ level, tile }: { level: number; tile: number }) => {
      const width = Math.min(256, Math.max(0, Math.floor(size / 256 ** level) - tile * 256))
      return Buffer.concat(Array.from({ length: width }, () => hashAt(level)))
    }
    override readonly read = (place: { level: number; tile: number }) => {
      this.reads.push(`${place.level}/${place.tile}`)
      return Promise.resolve(this.of(place))
    }
  })()
}
