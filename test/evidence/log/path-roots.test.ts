import fc from 'fast-check'
import { expect, it } from 'vitest'
import { leafHash } from '../../../src/evidence/log/merkle.ts'
import { PathRoots } from '../../../src/evidence/log/path-roots.ts'
import { holds } from '../../properties/holds.ts'
import { mth, path as pathOf } from './naive-tree.ts'

const SIZES = 40
const leafOf = (n: number) => leafHash(`entry ${n}`)
const LEAVES = Array.from({ length: SIZES }, (_, n) => leafOf(n))

/** The path of a leaf, with a change to leaf, path or place before it is checked. */
const asked = fc.record({
  leaf: fc.nat(SIZES - 1),
  change: fc.constantFrom('none', 'none', 'none', 'leaf', 'hash', 'more', 'less', 'place'),
  at: fc.nat(5),
})

it('the root computed from a path is correct for correct paths only, in any order', async () => {
  await holds(
    fc.property(
      fc.integer({ min: 2, max: SIZES }),
      fc.array(asked, { minLength: 1, maxLength: 60 }),
      (size, all) => {
        const roots = new PathRoots()
        const leaves = LEAVES.slice(0, size)
        const root = mth(leaves)
        for (const { leaf, change, at } of all) {
          const index = leaf % size
          const path = pathOf(index, leaves).map((hash) => hash.toString('base64'))
          const changed = change === 'hash' ? at % path.length : -1
          const told = path.map((hash, n) => (n === changed ? leafOf(n).toString('base64') : hash))
          if (change === 'more') told.splice(at % (path.length + 1), 0, path[0] ?? '')
          if (change === 'less') told.splice(at % path.length, 1)
          const place = { index: change === 'place' ? (index + 1) % size : index, size }
          const found = roots.root(leafOf(change === 'leaf' ? SIZES + at : index), place, told)
          const whole = change === 'none' || told.join() === path.join()
          if (whole && change !== 'leaf' && change !== 'place') expect(found).toEqual(root)
          else expect(found).not.toEqual(root)
        }
      },
    ),
  )
})

it('no root is computed for a missing leaf, whatever was read before', () => {
  const [leaves, roots] = [LEAVES.slice(0, 5), new PathRoots()]
  const path = pathOf(2, leaves).map((hash) => hash.toString('base64'))
  const rootAt = (index: number, size: number) => roots.root(leafOf(2), { index, size }, path)
  expect([rootAt(2, 5), rootAt(10, 5), rootAt(-1, 5), rootAt(2, 5)]).toEqual([
    mth(leaves),
    undefined,
    undefined,
    mth(leaves),
  ])
  expect(rootAt(2, 4)).toBeUndefined()
})
