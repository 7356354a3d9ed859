import { expect, test } from 'vitest'
import { whiteboardActivities } from '../../../src/resources/whiteboard-archives.ts'
import { whiteboardContent } from '../../../src/resources/whiteboard-content.ts'
import type { SliceHistory } from '../../../src/sync/ledger/slice-histories.ts'
import { planFanOut } from '../../../src/sync/plan/plan-fan-out.ts'
import { DAY_MS, facts, NOW, read } from './histories.ts'

test.each([
  ['was never read', {}, undefined],
  ['has another version', { version: '[2]' }, read(1)],
  ['was read a week ago', {}, read(7)],
  ['is no longer held, though something was read', { held: false }, read(1)],
  ['was read without being judged', {}, read(1, { unchecked: true })],
  ['was held back by the brake', {}, read(1, { heldBack: true })],
])('a board is asked again when it %s', (_name, parent, history) => {
  expect(dueOf(parent, history)).toBe(1)
})

test.each([
  ['has the version that was read', {}, read(6.9)],
  ['had nothing to hold', { held: false }, read(1, { received: 0 })],
  ['was read by a run of the same chain', { version: '[2]' }, read(1, { completeRunId: 9 })],
])('a board is left alone when it %s', (_name, parent, history) => {
  expect(dueOf(parent, history)).toBe(0)
})

test('a fan-out without versions is settled by its count, for the times that its parent had', () => {
  const due = (final: boolean, version: string) => {
    const history = read(90, { final })
    const parent = { key: ['s'], version, held: true, span: { fromMs: 0, toMs: 1 } }
    return planFanOut(whiteboardActivities, [parent], facts({ 'session=s': history }))
  }
  expect(due(true, '[1]')).toEqual([])
  expect(due(false, '[1]')).toHaveLength(1)
  expect(due(true, '[2]')).toHaveLength(1)
})

/** Said not to be there on so many runs, last then. */
const absent = (absences: number, daysAgo: number, more: Partial<SliceHistory> = {}) => ({
  completeAtMs: undefined,
  completeRunId: undefined,
  pages: 0,
  version: undefined,
  unchecked: true,
  absences,
  absentAtMs: NOW - daysAgo * DAY_MS,
  absentVersion: '[1]',
  ...more,
})

test.each([
  [1, 0, 1],
  [2, 0.4, 0],
  [2, 0.9, 1],
  [4, 2, 0],
  [4, 2.9, 1],
  [50, 6, 0],
  [50, 6.9, 1],
])('a list that was not there %i times is asked for ever less often', (times, daysAgo, due) => {
  expect(dueOf({}, read(0, absent(times, daysAgo)))).toBe(due)
})

test.each([
  ['its parent changed', { version: '[2]' }, {}],
  ['a release may let its rows go', {}, { heldBack: true }],
])('a list that is not there is asked for at once when %s', (_name, parent, more) => {
  expect(dueOf(parent, read(0, absent(9, 1, more)))).toBe(1)
})

test('lists that are not there go behind those that were never read', () => {
  const parents = ['a', 'b'].map((id) => ({ key: [id], version: '', held: false }))
  const planned = planFanOut(
    whiteboardActivities,
    parents,
    facts({ 'session=a': read(0, absent(9, 1)) }),
  )
  const names = planned.flatMap(({ slices }) => slices.map(({ request }) => request.slice))
  expect(names).toEqual(['session=b', 'session=a'])
})

function dueOf(parent: object, history: SliceHistory | undefined): number {
  const row = { key: ['wb'], version: '[1]', held: true, ...parent }
  const known = history === undefined ? {} : { 'whiteboard=wb': history }
  return planFanOut(whiteboardContent, [row], facts(known)).flatMap(({ slices }) => slices).length
}
