import { expect, test } from 'vitest'
import type { Stream } from '../../../src/core/declare/stream.ts'
import { planFanOut } from '../../../src/engine/plan/plan-fan-out.ts'
import { type PlanFacts, planStream } from '../../../src/engine/plan/plan-stream.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import {
  whiteboardActivities,
  whiteboardSessions,
} from '../../../src/resources/whiteboard-archives.ts'
import { whiteboardContent } from '../../../src/resources/whiteboard-content.ts'
import { whiteboards } from '../../../src/resources/whiteboards.ts'
import type { SliceHistory } from '../../../src/warehouse/ledgers/slice-histories.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-07-08T02:30:00Z')

const read = (daysAgo: number, more: Partial<SliceHistory> = {}): SliceHistory => ({
  completeAtMs: NOW - daysAgo * DAY_MS,
  completeRunId: 1,
  requestedAtMs: NOW - daysAgo * DAY_MS,
  countSinceMs: NOW - daysAgo * DAY_MS,
  pages: 1,
  received: 1,
  version: '[1]',
  final: false,
  failures: 0,
  refusals: 0,
  unchecked: false,
  absences: 0,
  absentAtMs: undefined,
  absentVersion: undefined,
  listed: true,
  taken: false,
  heldBack: false,
  ...more,
})

function facts(histories: Record<string, SliceHistory>, more: Partial<PlanFacts> = {}): PlanFacts {
  const map = new Map(Object.entries(histories))
  return { nowMs: NOW, chainRunId: 9, histories: map, full: false, ...more }
}

const incrementalOf = (given: PlanFacts) =>
  planStream(whiteboards, given)
    .filter(({ incremental }) => incremental === true)
    .flatMap(({ slices }) => slices)

/** All windows, as if they had been read so many days ago. */
const windows = (daysAgo: number): Record<string, SliceHistory> =>
  Object.fromEntries(
    planStream(whiteboards, facts({}))
      .filter(({ incremental }) => incremental !== true)
      .flatMap(({ slices }) => slices.map(({ request }) => [request.slice, read(daysAgo)])),
  )

test('a first run reads every window to ten years back, and of the news this week', () => {
  const groups = planStream(whiteboards, facts({}))
  expect(groups[0]).toMatchObject({ incremental: true, owned: { kind: 'all' } })
  expect(incrementalOf(facts({})).map(({ request }) => request)).toEqual([
    {
      slice: 'modified=2026-07-02..2026-07-09',
      arguments: {
        query: {
          date_filter_type: 'modified_date',
          from: '2026-07-01T00:00:00Z',
          to: '2026-07-08T02:30:00Z',
        },
      },
      filter: {},
    },
  ])
  const asked = groups.slice(1).flatMap(({ slices }) => slices)
  const owned = asked.flatMap((slice) => slice.owned ?? []).toReversed()
  expect(NOW - (owned[0]?.fromMs ?? NOW)).toBeGreaterThanOrEqual(3_650 * DAY_MS)
  for (const [at, { fromMs }] of owned.entries()) expect(fromMs).toBe(owned[at - 1]?.toMs ?? fromMs)
  expect(owned.at(-1)?.toMs).toBeGreaterThan(NOW)
  for (const { request } of asked) {
    const { from, to } = request.arguments.query as { from: string; to: string }
    expect(Date.parse(to) - Date.parse(from)).toBeLessThanOrEqual(28 * DAY_MS)
  }
})

test('news go back to the oldest reading of a window, week by week, and no further', () => {
  const names = (given: PlanFacts) => incrementalOf(given).map(({ request }) => request.slice)
  expect(names(facts(windows(10)))).toEqual([
    'modified=2026-07-02..2026-07-09',
    'modified=2026-06-25..2026-07-02',
  ])
  // Windows that are older than a month are due themselves.
  expect(names(facts(windows(300)))).toHaveLength(5)
})

test('news go back to when the windows were asked for, not to when they were entered', () => {
  const histories = Object.fromEntries(
    Object.entries(windows(0)).map(([name, history]) => [
      name,
      {
        ...history,
        requestedAtMs: Date.parse('2026-07-01T23:59:00Z'),
        completeAtMs: Date.parse('2026-07-02T00:01:00Z'),
      },
    ]),
  )
  const names = incrementalOf(facts(histories)).map(({ request }) => request.slice)
  expect(names).toEqual(['modified=2026-07-02..2026-07-09', 'modified=2026-06-25..2026-07-02'])
})

test('a week of news is read once more after its end, and not again', () => {
  const week = 'modified=2026-06-25..2026-07-02'
  const due = (completeAt: string) => {
    const history = read(0, { completeAtMs: Date.parse(completeAt) })
    return incrementalOf(facts({ ...windows(12), [week]: history })).map(
      ({ request }) => request.slice,
    )
  }
  expect(due('2026-07-01T12:00:00Z')).toContain(week)
  expect(due('2026-07-02T12:00:00Z')).toContain(week)
  expect(due('2026-07-03T00:00:00Z')).not.toContain(week)
})

test('news that a run of the same chain has read are not read again', () => {
  const week = 'modified=2026-07-02..2026-07-09'
  expect(incrementalOf(facts({ [week]: read(0, { completeRunId: 9 }) }))).toEqual([])
  expect(incrementalOf(facts({ [week]: read(0, { completeRunId: 8 }) }))).toHaveLength(1)
})

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

test('the window at the horizon is the same slice each night, and as its whole was left before', () => {
  const oldest = (given: PlanFacts) => planStream(sessionReports, given).at(-1)?.slices[0]
  const whole = '2026-01-01..2026-02-01'
  const tonight = oldest(facts({ [whole]: read(20) }))
  expect(tonight?.request.slice).toBe('..2026-02-01')
  expect(tonight?.owned).toMatchObject({ fromMs: Date.parse('2026-01-09') })
  expect(tonight?.history).toEqual(read(20))
  const histories = { [whole]: read(21), '..2026-02-01': read(1) }
  const tomorrow = oldest(facts(histories, { nowMs: NOW + DAY_MS }))
  expect(tomorrow?.request.slice).toBe('..2026-02-01')
  expect(tomorrow?.owned).toMatchObject({ fromMs: Date.parse('2026-01-10') })
  expect(tomorrow?.history).toEqual(read(1))
})

test('the account says how far back is read where the service names no bound', () => {
  const oldest = (stream: Stream, historyDays?: number) => {
    const groups = planStream(stream, facts({}, { historyDays }))
    return groups.flatMap(({ slices }) => slices.map(({ request }) => request.slice)).toSorted()[0]
  }
  expect(oldest(whiteboardSessions)).toMatch(/^\.\.2026-01-/)
  expect(oldest(whiteboardSessions, 400)).toMatch(/^\.\.2025-0[56]-/)
  expect(oldest(sessionReports, 400)).toBe(oldest(sessionReports))
})
