import { expect, test } from 'vitest'
import type { Window } from '../../src/core/time/spans.ts'
import { DAY_MS, utcDay } from '../../src/core/time/time.ts'
import { recordingSessions } from '../../src/resources/recordings.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import type { SliceHistory } from '../../src/sync/ledger/slice-histories.ts'
import { keptSlices } from '../../src/sync/plan/kept-slices.ts'
import { shortEnds } from '../../src/sync/plan/month-ends.ts'
import { type PlanFacts, type PlannedGroup, planStream } from '../../src/sync/plan/plan-stream.ts'

const NOW = Date.parse('2026-07-08T02:30:00Z')

function facts(more: Partial<PlanFacts> = {}): PlanFacts {
  return { nowMs: NOW, chainRunId: 9, histories: new Map(), full: false, ...more }
}

const READ: SliceHistory = {
  completeAtMs: NOW,
  completeRunId: 1,
  requestedAtMs: NOW,
  countSinceMs: NOW,
  pages: 1,
  received: 1,
  version: undefined,
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
}

interface Range {
  from: string
  to: string
}
const HOUR_MS = 3_600_000
const startOf = (day: string): number => Date.parse(day)
const monthEnd = (day: string): number => Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)))
const cutAtMonth = ({ from, to }: Range): Window => ({
  fromMs: startOf(from),
  toMs: Math.min(startOf(to) + DAY_MS, monthEnd(from)),
})
const shifted =
  (read: (range: Range) => Window | undefined, hours: number) =>
  (range: Range): Window | undefined => {
    const shown = read(range)
    if (shown === undefined) return undefined
    return { fromMs: shown.fromMs + hours * HOUR_MS, toMs: shown.toMs + hours * HOUR_MS }
  }
const whole = ({ from, to }: Range): Window => ({
  fromMs: startOf(from),
  toMs: startOf(to) + DAY_MS,
})
const exclusive = ({ from, to }: Range): Window => ({
  fromMs: startOf(from) + DAY_MS,
  toMs: startOf(to),
})
/** The days that a service shows of a requested range; undefined if it refuses the range. */
const READINGS: Readonly<Record<string, (range: Range) => Window | undefined>> = {
  'both days': whole,
  'the month of the first day': cutAtMonth,
  'days within one month only': (range) =>
    range.from.slice(0, 7) === range.to.slice(0, 7) ? whole(range) : undefined,
  'days without the last': ({ from, to }) => ({ fromMs: startOf(from), toMs: startOf(to) }),
  'days without the first': ({ from, to }) => ({
    fromMs: startOf(from) + DAY_MS,
    toMs: startOf(to) + DAY_MS,
  }),
  'days without the first and the last': exclusive,
  'the first instant of the last day': ({ from, to }) => ({
    fromMs: startOf(from),
    toMs: startOf(to) + 1,
  }),
  'days far west': shifted(whole, 12),
  'days far east': shifted(whole, -14),
  'days far west, without the first and last': shifted(exclusive, 12),
  'days far east, without the first and last': shifted(exclusive, -14),
}

function rangesOf(groups: readonly PlannedGroup[]): Range[] {
  return groups.flatMap(({ slices }) =>
    slices.map(({ request }) => request.arguments.query as unknown as Range),
  )
}

/** How much of a month no range shows, apart from the newest day and the oldest two within the limit. */
function unshown(month: Window, shown: readonly Window[], nowMs: number): number {
  const oldestMs = nowMs - (180 - 2) * DAY_MS
  let [atMs, left] = [Math.max(month.fromMs, oldestMs), 0]
  const endMs = Math.min(month.toMs, Math.floor(nowMs / DAY_MS) * DAY_MS - DAY_MS)
  for (const { fromMs, toMs } of shown.toSorted((a, b) => a.fromMs - b.fromMs)) {
    left += Math.max(0, Math.min(fromMs, endMs) - atMs)
    atMs = Math.max(atMs, toMs)
  }
  return left + Math.max(0, endMs - atMs)
}

test.each(Object.keys(READINGS))(
  'months are read completely if the service answers a range with %s',
  (name) => {
    const read = READINGS[name]
    // The nights include months of each length, and both sides of their ends.
    for (let night = 0; night < 400; night++) {
      const nowMs = NOW + night * DAY_MS
      const groups = planStream(sessionReports, facts({ nowMs }))
      const [ends, ...months] = groups
      const beside = rangesOf(ends === undefined ? [] : [ends])
      for (const month of months) {
        const window = month.slices[0]?.owned
        if (window === undefined) continue
        const shown = [...rangesOf([month]), ...beside].flatMap((range) => read?.(range) ?? [])
        expect([month.slices[0]?.request.slice, unshown(window, shown, nowMs)]).toEqual([
          month.slices[0]?.request.slice,
          0,
        ])
      }
    }
  },
)

test('if the days around a month’s end are refused, three days fill the gap', () => {
  const limits = { nowMs: NOW, historyLimitDays: 180, spanDays: 31, overlapDays: 1, byMonth: true }
  const endMs = startOf('2026-06-01')
  const asked = (leftOut: { from: boolean; to: boolean }) =>
    shortEnds([endMs], limits, leftOut).map(({ slice, asked: range }) => [
      slice,
      utcDay(range.fromMs),
      utcDay(range.toMs),
    ])
  const before = ['before=2026-06-01', '2026-05-30', '2026-06-01']
  const after = ['after=2026-06-01', '2026-05-31', '2026-06-02']
  expect(asked({ from: false, to: true })).toEqual([before])
  expect(asked({ from: true, to: false })).toEqual([after])
  expect(asked({ from: true, to: true })).toEqual([before, after])
})

test('a month needs at most two lists, one of them within the month', () => {
  for (let night = 0; night < 400; night++) {
    const [ends, ...months] = planStream(sessionReports, facts({ nowMs: NOW + night * DAY_MS }))
    expect(ends?.incremental).toBe(true)
    expect(ends?.slices.length).toBeLessThanOrEqual(months.length)
    for (const { from, to } of rangesOf(months)) expect(to.slice(0, 7)).toBe(from.slice(0, 7))
  }
})

test('the ends of months are read again with each adjacent month', () => {
  const kept = keptSlices(sessionReports, facts())
  const histories = new Map(kept.map((name) => [name, READ]))
  const [ends, ...months] = planStream(sessionReports, facts({ histories }))
  expect(months.map(({ slices }) => slices[0]?.request.slice)).toEqual([
    '2026-07-01..2026-08-01',
    '2026-06-01..2026-07-01',
    '2026-05-01..2026-06-01',
    '..2026-02-01',
  ])
  const names = ends?.slices.map(({ request }) => request.slice)
  expect(names).toEqual([
    'around=2026-07-01',
    'around=2026-06-01',
    'around=2026-05-01',
    'around=2026-02-01',
  ])
  expect(kept).toEqual(expect.arrayContaining(names ?? []))
  expect(rangesOf(ends === undefined ? [] : [ends])[0]).toMatchObject({
    from: '2026-06-29',
    to: '2026-07-02',
  })
})

test('the trash is not requested if the service has none', () => {
  const names = (withoutTrash: boolean) =>
    planStream(recordingSessions, facts({ withoutTrash })).flatMap(({ slices }) =>
      slices.map(({ request }) => request.slice).filter((name) => name.startsWith('trash=')),
    )
  expect(names(false)).toHaveLength(2)
  expect(names(true)).toEqual([])
})
