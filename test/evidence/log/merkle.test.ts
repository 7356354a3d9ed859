import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leafHash, MerkleRoot, nodeHash, rootFromProof } from '../../../src/evidence/log/merkle.ts'
import { holds } from '../../properties/holds.ts'
import { mth, path } from './naive-tree.ts'

const lines = fc.array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 70 })
const distinct = fc.uniqueArray(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 70 })

describe('a Merkle tree', () => {
  it('has the root defined by RFC 6962 if its leaves are added one by one', async () => {
    await holds(
      fc.property(lines, (texts) => {
        const leaves = texts.map(leafHash)
        const root = new MerkleRoot()
        for (const leaf of leaves) root.add(leaf)
        expect(root.leaves).toBe(leaves.length)
        expect(root.root()).toEqual(byDefinition(leaves))
      }),
    )
  })

  it('has a proof for each leaf, which is valid only at that leaf', async () => {
    await holds(
      fc.property(distinct, fc.nat(), fc.nat(), (texts, one, two) => {
        const leaves = texts.map(leafHash)
        const size = leaves.length
        const index = one % size
        const root = mth(leaves)
        const proof = path(index, leaves)
        expect(proof.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)))
        const leaf = leaves[index] ?? Buffer.alloc(0)
        expect(rootFromProof(leaf, { index, size }, proof)).toEqual(root)
        const other = two % size
        const elsewhere = rootFromProof(leaf, { index: other, size }, proof)
        if (other !== index) expect(elsewhere?.equals(root) ?? false).toBe(false)
        expect(rootFromProof(leafHash('\u{1}other'), { index, size }, proof)).not.toEqual(root)
        expect(rootFromProof(leaf, { index, size }, [...proof, leaf])).toBeUndefined()
        if (size > 1) expect(rootFromProof(leaf, { index, size }, proof.slice(1))).toBeUndefined()
        expect(rootFromProof(leaf, { index: size, size }, proof)).toBeUndefined()
      }),
    )
  })

  it('has a different root if a leaf is changed, dropped, added or moved', async () => {
    await holds(
      fc.property(
        fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 40 }),
        fc.nat(),
        (texts, at) => {
          const rootOf = (some: readonly string[]) => {
            const root = new MerkleRoot()
            for (const text of some) root.add(leafHash(text))
            return root.root().toString('hex')
          }
          const index = at % (texts.length - 1)
          const [a = '', b = ''] = [texts[index], texts[index + 1]]
          const roots = [
            texts,
            texts.with(index, `${a}!`),
            texts.toSpliced(index, 1),
            [...texts, a],
            texts.with(index, b).with(index + 1, a),
          ].map(rootOf)
          expect(new Set(roots).size).toBe(roots.length)
        },
      ),
    )
  })
})

function byDefinition(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves
  if (first === undefined) return createHash('sha256').digest()
  if (leaves.length === 1) return first
  let half = 1
  while (half * 2 < leaves.length) half *= 2
  return nodeHash(byDefinition(leaves.slice(0, half)), byDefinition(leaves.slice(half)))
}
