import { expect, test } from 'vitest'
import { type Drop, judgeDrops } from '../../../src/sync/deletions/check-drop.ts'

const LIMITS = { share: 0.1, rows: 50 }
/** The drop of a group with one parent's list. */
const of = (owned: number, missing: number, more: Partial<Drop> = {}): Drop => ({
  owned,
  missing,
  fallen: missing,
  alone: false,
  filled: owned > 0 ? 1 : 0,
  emptied: owned > 0 && owned === missing ? 1 : 0,
  ...more,
})
const times = (count: number, drop: Drop): Drop[] => Array.from({ length: count }, () => drop)
const filled = (lists: number): Drop => of(0, 0, { filled: lists })

const free: [string, Drop[]][] = [
  ['no group', []],
  ['groups without missing rows', times(3, of(100, 0))],
  ['the only list of a parent', [of(50, 50)]],
  ['the only row of a list', [of(1, 1, { alone: true })]],
  ['two small lists of many', [...times(2, of(5, 5)), filled(32)]],
  ['half of the lists', [...times(2, of(5, 5)), ...times(2, of(5, 0))]],
  ['50 rows of many lists', times(25, of(4, 2))],
  ['60 rows, a small share of the rows that were read', [...times(30, of(4, 2)), of(5_000, 0)]],
  ['many missing rows that may be unusable records', [of(200, 100, { fallen: 40 })]],
]
test.each(free)('the guard is not tripped by %s', (_what, drops) => {
  expect(judgeDrops(drops, LIMITS)).toEqual(drops.map(() => false))
})

const held: [string, Drop[]][] = [
  ['34 lists of one row each that are now empty', times(34, of(1, 1))],
  ['33 of 34 lists that are now empty', [...times(33, of(1, 1)), of(1, 0)]],
  ['30 lists that each lose two rows', times(30, of(4, 2))],
  ['six windows of ten rows', times(6, of(10, 10, { alone: true }))],
  ['one list of several rows that is now empty', [of(2, 2, { alone: true })]],
  ['one drop above both limits', [of(400, 60)]],
  ['two groups, one of which is above the limits by itself', [of(100, 51), of(10, 1)]],
]
test.each(held)('the guard holds back every missing row of %s, in any order', (_what, drops) => {
  for (const order of [drops, drops.toReversed()])
    expect(judgeDrops(order, LIMITS)).toEqual(order.map(({ missing }) => missing > 0))
})

test('the guard holds back an emptied list, but no other group with few missing rows', () => {
  const drops = [of(3, 3, { alone: true }), of(100, 1), of(100, 0)]
  expect(judgeDrops(drops, LIMITS)).toEqual([true, false, false])
})

test('the guard holds back a group above the limits, even if it is a small share of the stream', () => {
  expect(judgeDrops([of(100, 60), of(100_000, 1)], LIMITS)).toEqual([true, false])
})

test('the guard ignores rows that our own calls deleted, in any number of groups', () => {
  const drops = times(30, of(2, 2))
  expect(judgeDrops(drops, { ...LIMITS, own: 60 })).not.toContain(true)
  expect(judgeDrops(drops, { ...LIMITS, own: 59 })).not.toContain(false)
})
