import type { SliceHistory } from '../../../src/sync/ledger/slice-histories.ts'
import type { PlanFacts } from '../../../src/sync/plan/plan-stream.ts'

export const DAY_MS = 86_400_000
export const NOW = Date.parse('2026-07-08T02:30:00Z')

/** The history of a slice that was completely read this many days ago. */
export const read = (daysAgo: number, more: Partial<SliceHistory> = {}): SliceHistory => ({
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

export function facts(
  histories: Record<string, SliceHistory>,
  more: Partial<PlanFacts> = {},
): PlanFacts {
  const map = new Map(Object.entries(histories))
  return { nowMs: NOW, chainRunId: 9, histories: map, full: false, ...more }
}
