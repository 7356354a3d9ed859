import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/core/time/time.ts'
import { recordingSessions } from '../../src/resources/recordings.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import type { SliceHistory } from '../../src/sync/ledger/slice-histories.ts'
import { keptSlices, type PlanFacts, planStream } from '../../src/sync/plan/plan-stream.ts'

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

test('windows of session reports are months, but where the service answers across their ends', () => {
  const asked = (given: PlanFacts) =>
    planStream(sessionReports, given).flatMap(({ slices }) =>
      slices.map(({ request }) => request.arguments.query as { from: string; to: string }),
    )
  for (let night = 0; night < 400; night++)
    for (const { from, to } of asked(facts({ nowMs: NOW + night * DAY_MS })))
      expect(to.slice(0, 7)).toBe(from.slice(0, 7))
  const across = asked(facts({ crossMonths: true }))
  expect(across.some(({ from, to }) => to.slice(0, 7) !== from.slice(0, 7))).toBe(true)
  for (const { from, to } of across)
    expect(Date.parse(to) - Date.parse(from)).toBeLessThanOrEqual(28 * DAY_MS)
})

test('what the ledger holds of windows that are cut otherwise makes no window read', () => {
  const before = planStream(sessionReports, facts({ crossMonths: true }))
  const names = before.flatMap(({ slices }) => slices.map(({ request }) => request.slice))
  const histories = new Map(names.map((name) => [name, READ]))
  expect(planStream(sessionReports, facts({ histories }))).toHaveLength(7)
  expect(
    keptSlices(sessionReports, facts({ histories })).filter((name) => names.includes(name)),
  ).toEqual([])
})

test('a trash that the service does not have is not asked for', () => {
  const names = (withoutTrash: boolean) =>
    planStream(recordingSessions, facts({ withoutTrash })).flatMap(({ slices }) =>
      slices.map(({ request }) => request.slice).filter((name) => name.startsWith('trash=')),
    )
  expect(names(false)).toHaveLength(2)
  expect(names(true)).toEqual([])
})
