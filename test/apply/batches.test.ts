import { expect, it } from 'vitest'
import { batchesOf } from '../../src/apply/batches.ts'
import type { PlanItem, Send } from '../../src/core/define/desired.ts'
import { allocateNumbers } from '../../src/resources/number-changes.ts'

function item(member: string, ...together: string[]): PlanItem {
  const sends = together.map((word): Send => {
    return { operation: allocateNumbers, args: {}, together: word, most: 2, member }
  })
  return { key: member, what: member, place: '', action: 'add', sends }
}

const told = (items: readonly PlanItem[]) =>
  batchesOf(items).map(({ step, send, members }) => [step, send.together, members.join()])

it('changes that fit into one call share it, up to the limit of a call', () => {
  expect(told([item('a', 'x'), item('b', 'y'), item('c', 'x'), item('d', 'x')])).toEqual([
    [0, 'x', 'a,c'],
    [0, 'x', 'd'],
    [0, 'y', 'b'],
  ])
})

it('if changes need two calls each, all first calls are sent before the second ones', () => {
  expect(told([item('a', 'free', 'x'), item('b', 'y'), item('c', 'free', 'x')])).toEqual([
    [0, 'free', 'a,c'],
    [0, 'y', 'b'],
    [1, 'x', 'a,c'],
  ])
  // Numbers to be freed for good are sent in another call than those that move on.
  expect(told([item('a', 'free', 'x'), item('b', 'free')])).toEqual([
    [0, 'free', 'a'],
    [0, 'free', 'b'],
    [1, 'x', 'a'],
  ])
  expect(told([])).toEqual([])
})
