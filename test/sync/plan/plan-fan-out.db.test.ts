import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobs } from '../../../src/account/catalog.ts'
import type { Stream } from '../../../src/core/define/stream.ts'
import { recordingDetails } from '../../../src/resources/recording-details.ts'
import { userDetails } from '../../../src/resources/user-details.ts'
import { whiteboardActivities } from '../../../src/resources/whiteboard-archives.ts'
import { whiteboardContent } from '../../../src/resources/whiteboard-content.ts'
import { readLists } from '../../../src/sync/absent-lists.ts'
import { planFanOut } from '../../../src/sync/plan/plan-fan-out.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'
import { CHAIN, found, given, type Parent, type State, scopeOf, wanted } from './fan-out-stage.ts'
import { DAY_MS, NOW } from './histories.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

const read = (completeDaysAgo: number, more: State = {}): State => ({
  completeRunId: 1,
  completeDaysAgo,
  version: 'own',
  listed: true,
  ...more,
})
/** Reported absent this many times, last this many days ago. */
const absent = (absences: number, absentDaysAgo: number): State => ({ absences, absentDaysAgo })

describe('a new read of a board’s content', () => {
  it.each<[boolean, string, Partial<Parent>]>([
    [true, 'that was never read', {}],
    [true, 'that has another version', { state: read(1, { version: 'other' }) }],
    [true, 'that was read a week ago', { state: read(7) }],
    [true, 'whose rows no longer exist, though some were read', { held: false, state: read(1) }],
    [true, 'that was read without a deletion check', { state: read(1, { unchecked: true }) }],
    [true, 'whose deletions were held back', { state: read(1, { completeRunId: 3 }) }],
    [false, 'with an unchanged version', { state: read(3) }],
    [false, 'that had no records', { held: false, state: read(1, { received: 0 }) }],
    [
      false,
      'that was read by this chain of runs',
      { state: read(1, { completeRunId: CHAIN, version: 'other' }) },
    ],
    [true, 'that was reported absent once', { state: absent(1, 0) }],
    [false, 'that was reported absent twice today', { state: absent(2, 0.4) }],
    [true, 'that was reported absent a second time last night', { state: absent(2, 0.6) }],
    [false, 'that was reported absent a fourth time two days ago', { state: absent(4, 2) }],
    [true, 'that was reported absent a fourth time three days ago', { state: absent(4, 2.9) }],
    [false, 'that has always been absent, last six days ago', { state: absent(50, 6) }],
    [true, 'that has always been absent, last a week ago', { state: absent(50, 6.9) }],
    [
      true,
      'that was reported absent and has changed since',
      { state: { ...absent(9, 1), absentVersion: 'other' } },
    ],
    [
      true,
      'whose held-back rows a person may approve to delete',
      { state: { ...absent(9, 1), heldAbsence: true } },
    ],
  ])('is planned (%s) for a board %s', async (isDue, _what, of) => {
    await given(warehouse, whiteboardContent, [{ id: 'wb', held: true, ...of }])
    const { slices, counted } = await found(warehouse, whiteboardContent)
    expect([slices.length, counted.due]).toEqual(isDue ? [1, 1] : [0, 0])
  })
})

it('a withdrawn list is requested again each week', async () => {
  const taken = (id: string, daysAgo: number) => ({
    id,
    state: read(daysAgo, { error: true, received: 0 }),
  })
  await given(warehouse, userDetails, [taken('a', 6), taken('b', 7)])
  expect((await found(warehouse, userDetails)).slices).toEqual(['then user=b 1'])
})

it('a final list is not read again while its parent’s times are unchanged', async () => {
  const due = async (state: State) => {
    await given(warehouse, whiteboardActivities, [
      { id: 's', columns: { start_time: '2026-07-01T00:00:00Z' }, state: read(90, state) },
    ])
    return (await found(warehouse, whiteboardActivities)).slices.length
  }
  expect(await due({ final: true })).toBe(0)
  expect(await due({ final: false })).toBe(1)
  expect(await due({ final: true, version: 'other' })).toBe(1)
})

it('bundles of lists have failing parents last, and skip deleted parents', async () => {
  const id = (at: number) => `wb ${String(at).padStart(3, '0')}`
  const parents = Array.from({ length: 120 }, (_, at) => ({
    id: id(at),
    state: { failures: at % 3 },
  }))
  await given(warehouse, whiteboardContent, parents)
  const groups = await planFanOut(warehouse, scopeOf(whiteboardContent), true)
  expect(groups.map(({ count, answered }) => [count, answered])).toEqual([
    [50, true],
    [50, true],
    [20, true],
  ])
  await warehouse.db
    .updateTable('svc.whiteboards')
    .set({ _deleted_at: new Date(NOW).toISOString() })
    .where('whiteboard_id', '=', id(3))
    .execute()
  const [first] = groups
  const { owned, slices } = (await first?.open()) ?? {}
  expect(slices?.map(({ parent }) => parent?.[0])).toEqual(
    [...parents.keys()]
      .filter((at) => at % 3 === 0 && at !== 3)
      .map(id)
      .concat([1, 4, 7, 10, 13, 16, 19, 22, 25, 28].map(id)),
  )
  expect(owned).toMatchObject({ keys: slices?.map(({ parent }) => parent?.[0]) })
})

const instant = (daysFromNow: number | null) =>
  daysFromNow === null ? null : new Date(NOW + daysFromNow * DAY_MS).toISOString()
const daysAgo = fc.constantFrom(0, 0.5, 1, 2, 3.5, 6.5, 7, 14, 15, 20, 29.5, 30, 44, 45, 60, 89, 91)
const state = fc.record(
  {
    completeRunId: fc.option(fc.constantFrom(1, 1, 1, 1, 2, 3, CHAIN, CHAIN + 1), {
      nil: undefined,
    }),
    completeDaysAgo: daysAgo,
    received: fc.integer({ min: 0, max: 2 }),
    pages: fc.integer({ min: 0, max: 3 }),
    version: fc.constantFrom('own', 'own', 'own', 'other'),
    final: fc.boolean(),
    failures: fc.constantFrom(0, 0, 1),
    refusals: fc.constantFrom(0, 0, 1),
    absences: fc.constantFrom(0, 0, 1, 3, 9),
    absentDaysAgo: daysAgo,
    absentVersion: fc.constantFrom('own', 'own', 'other'),
    heldAbsence: fc.boolean(),
    unchecked: fc.constantFrom(false, false, true),
    listed: fc.boolean(),
    error: fc.boolean(),
  },
  { requiredKeys: ['completeDaysAgo', 'version'] },
) satisfies fc.Arbitrary<State>

/** Lists with a single complete read some time ago. */
const settled = daysAgo.map((ago) => read(ago, { final: true }))

/** Streams whose parents differ, each with a generator of their parents' column values. */
const WAYS: Record<string, [Stream, (one: fc.GeneratorValue) => Record<string, unknown>]> = {
  'of a board, by its version': [
    whiteboardContent,
    (one) => ({ created_date: instant(one(fc.constantFrom, -3, -2, null)) }),
  ],
  'of a session that expires': [
    whiteboardActivities,
    (one) => ({
      expire_time: instant(one(fc.constantFrom, -1, 1, 6.9, 7, 8, null)),
      start_time: instant(one(fc.constantFrom, -2, null)),
    }),
  ],
  'of a user, who may be invited': [userDetails, () => ({})],
  'of a recording, which may be in the trash': [
    recordingDetails,
    (one) => ({ trashed: one(fc.boolean) }),
  ],
}

it.each(Object.entries(WAYS))(
  'lists %s are planned and counted in SQL as in plain code',
  async (_what, [stream, columns]) => {
    const names = Array.from({ length: 30 }, (_, nth) => `x${nth}`)
    const id = fc.constantFrom(...names, 'pending:i', "j's")
    const parent = fc.record({
      id,
      columns: fc.gen().map(columns),
      held: fc.constantFrom(true, true, false),
      state: fc.oneof(settled, state, fc.constant(undefined)),
    })
    const parents = fc.uniqueArray(parent, { selector: (one) => one.id, size: '+1' })
    const check = async (some: Parent[], full: boolean) => {
      await given(warehouse, stream, some)
      expect(await found(warehouse, stream, full)).toEqual(await wanted(warehouse, stream, full))
    }
    await fc.assert(fc.asyncProperty(parents, fc.constantFrom(false, false, false, true), check), {
      numRuns: 60,
    })
  },
)

it('the slice name of each list ends with the ID of its parent', () => {
  for (const { sync } of jobs.flatMap(({ streams }) => streams)) {
    if (sync.kind !== 'fan-out') continue
    expect(sync.parent.key).toHaveLength(1)
    expect(sync.request(['x']).slice).toBe(`${sync.request(['']).slice}x`)
  }
})

it('lists outside the trash are counted, and absent or withdrawn lists are named', async () => {
  await given(warehouse, recordingDetails, [
    { id: 'never read' },
    { id: 'in the trash', columns: { trashed: true }, state: { ...absent(1, 1), received: 1 } },
    { id: 'filled', state: read(1, { received: 3 }) },
    { id: 'absent', state: absent(2, 1) },
    { id: 'taken', state: read(1, { received: 1, error: true }) },
  ])
  expect(await readLists(warehouse, scopeOf(recordingDetails))).toEqual({
    count: 4,
    filled: 2,
    answered: true,
    absent: new Map([['session=absent', ['absent']]]),
    taken: new Set(['session=taken']),
  })
})
