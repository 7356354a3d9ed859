import { expect, test } from 'vitest'
import type { Stream } from '../../../src/core/define/stream.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { users } from '../../../src/resources/users.ts'
import { whiteboardSessions } from '../../../src/resources/whiteboard-archives.ts'
import { whiteboards } from '../../../src/resources/whiteboards.ts'
import type { SliceHistory } from '../../../src/sync/ledger/slice-histories.ts'
import { type PlanFacts, planStream } from '../../../src/sync/plan/plan-stream.ts'
import { DAY_MS, facts, NOW, read } from './histories.ts'

const incrementalOf = (given: PlanFacts) =>
  planStream(whiteboards, given)
    .filter(({ incremental }) => incremental === true)
    .flatMap(({ slices }) => slices)

/** The histories of all windows, read this many days ago. */
const windows = (daysAgo: number): Record<string, SliceHistory> =>
  Object.fromEntries(
    planStream(whiteboards, facts({}))
      .filter(({ incremental }) => incremental !== true)
      .flatMap(({ slices }) => slices.map(({ request }) => [request.slice, read(daysAgo)])),
  )

test('a first run reads every window of ten years, and the changes of only this week', () => {
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

test('reads of changes go back week by week to the oldest read of a window', () => {
  const names = (given: PlanFacts) => incrementalOf(given).map(({ request }) => request.slice)
  expect(names(facts(windows(10)))).toEqual([
    'modified=2026-07-02..2026-07-09',
    'modified=2026-06-25..2026-07-02',
  ])
  // No further back: windows last read over a month ago are due themselves.
  expect(names(facts(windows(300)))).toHaveLength(5)
})

test('reads of changes go back to the time when a window was requested, not when it was stored', () => {
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

test('a week of changes is read once more after the week has ended', () => {
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

test('changes read by a resumed run are not read again', () => {
  const week = 'modified=2026-07-02..2026-07-09'
  expect(incrementalOf(facts({ [week]: read(0, { completeRunId: 9 }) }))).toEqual([])
  expect(incrementalOf(facts({ [week]: read(0, { completeRunId: 8 }) }))).toHaveLength(1)
})

const reportsDue = (histories: Record<string, SliceHistory>, more: Partial<PlanFacts> = {}) =>
  planStream(sessionReports, facts(histories, more)).flatMap(({ slices }) =>
    slices.map(({ request }) => request.slice),
  )
/** The histories of all windows of reports, read yesterday. */
const reports = Object.fromEntries(reportsDue({}).map((slice) => [slice, read(1)]))
const [RECENT, OLD] = ['2026-07-01..2026-08-01', '2026-03-01..2026-04-01']

test.each([
  ['is recent', RECENT, read(1)],
  ['was never read', OLD, undefined],
  ['was read a month ago', OLD, read(30)],
  ['was read without a deletion check', OLD, read(1, { unchecked: true })],
  ['has deletions that were held back', OLD, read(1, { heldBack: true })],
  ['was read longest ago', OLD, read(16)],
])('a window is read again when it %s', (_what, slice, history) => {
  const { [slice]: _before, ...others } = reports
  expect(reportsDue(history === undefined ? others : { ...others, [slice]: history })).toContain(
    slice,
  )
})

test.each([
  ['was read two weeks ago', OLD, read(15)],
  ['was read by a run of the same chain', RECENT, read(0, { completeRunId: 9 })],
])('a window is not read again when it %s', (_what, slice, history) => {
  expect(reportsDue({ ...reports, [slice]: history })).not.toContain(slice)
})

test('a full run reads every window that its resumed runs have not read', () => {
  const done = { [OLD]: read(0, { completeRunId: 9 }) }
  const due = reportsDue({ ...reports, ...done }, { full: true })
  expect(due.toSorted()).toEqual(
    Object.keys(reports)
      .filter((slice) => slice !== OLD)
      .toSorted(),
  )
})

test('the window at the history limit keeps its slice name and its history each night', () => {
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

test('the account’s history setting applies if the service has no limit', () => {
  const oldest = (stream: Stream, historyDays?: number) => {
    const groups = planStream(stream, facts({}, { historyDays }))
    return groups.flatMap(({ slices }) => slices.map(({ request }) => request.slice)).toSorted()[0]
  }
  expect(oldest(whiteboardSessions)).toMatch(/^\.\.2026-01-/)
  expect(oldest(whiteboardSessions, 400)).toMatch(/^\.\.2025-0[56]-/)
  expect(oldest(sessionReports, 400)).toBe(oldest(sessionReports))
})

test('a group of lists is not read again if the run that is resumed has read all of them', () => {
  const due = (given: PlanFacts) => planStream(users, given).flatMap(({ slices }) => slices)
  const names = due(facts({})).map(({ request }) => request.slice)
  const [first = '', ...others] = names
  const done = (slices: string[]) =>
    Object.fromEntries(slices.map((slice) => [slice, read(0, { completeRunId: 9 })]))
  expect(due(facts(done(names)))).toEqual([])
  expect(others.length).toBeGreaterThan(0)
  expect(due(facts(done(others))).map(({ request }) => request.slice)).toEqual(names)
  expect(due(facts({ ...done(others), [first]: read(0) }))).toHaveLength(names.length)
})

test('a range plans the windows that touch it, with the ends of its months, and no changes', () => {
  const day = (text: string) => Date.parse(text)
  const range = { fromMs: day('2026-03-31'), toMs: day('2026-04-02') }
  const names = (stream: Stream) =>
    planStream(stream, facts({ '2026-04-01..2026-05-01': read(0) }, { range })).flatMap(
      ({ slices }) => slices.map(({ request }) => request.slice),
    )
  expect(names(sessionReports)).toEqual([
    'around=2026-04-01',
    'around=2026-05-01',
    'around=2026-03-01',
    '2026-04-01..2026-05-01',
    '2026-03-01..2026-04-01',
  ])
  expect(names(whiteboards)).toEqual(['2026-03-28..2026-04-23'])
  const march = { fromMs: day('2026-03-02'), toMs: day('2026-04-01') }
  const planned = planStream(sessionReports, facts({}, { range: march }))
  expect(planned.filter(({ incremental }) => incremental !== true)).toHaveLength(1)
})
