import type { DueTimes } from './due-times.ts'
import type { Ending } from './ending.ts'

export interface Attempt {
  startedMs: number
  endedMs: number
  ending: Ending
  /** An error ended the attempt. */
  failed?: boolean
}

/**
 * When work starts next, in epoch milliseconds; undefined if it is never due. Work stays due until an attempt
 * that began after the due time has completed it. `attempts` are sorted, oldest first.
 */
export function nextStart(
  times: DueTimes,
  attempts: readonly Attempt[],
  nowMs: number,
): number | undefined {
  const dueMs = times.last(nowMs)
  const nextMs = times.next(nowMs)
  if (dueMs === undefined) return nextMs
  const since = attemptsSince(attempts, dueMs, nextMs)
  const last = since.at(-1)
  if (last === undefined) return dueMs
  if (since.some(({ ending }) => ending.kind === 'done')) return nextMs
  const again = startAgain(last, since.length)
  if (again === undefined || nextMs === undefined) return again ?? nextMs
  return Math.min(again, nextMs)
}

/** Whether an attempt has completed the work that was last due, or nothing was due yet. */
export function isDone(times: DueTimes, attempts: readonly Attempt[], nowMs: number): boolean {
  const dueMs = times.last(nowMs)
  if (dueMs === undefined) return true
  const since = attemptsSince(attempts, dueMs, times.next(nowMs))
  return since.some(({ ending }) => ending.kind === 'done')
}

/** How long work has been due: 0 once an attempt that began after its due time has completed it. */
export function overdueMs(times: DueTimes, attempts: readonly Attempt[], nowMs: number): number {
  return isDone(times, attempts, nowMs) ? 0 : nowMs - (times.last(nowMs) ?? nowMs)
}

function attemptsSince(
  attempts: readonly Attempt[],
  dueMs: number,
  nextMs: number | undefined,
): Attempt[] {
  return attempts.filter(({ startedMs }) => startedMs >= dueMs - skewOf(dueMs, nextMs))
}

/**
 * The ledger dates the start of a run by the database's clock, which may be behind ours. A run that began at
 * most this long before a due time, in milliseconds, counts as begun at that time.
 */
export function skewOf(dueMs: number, nextMs = Number.POSITIVE_INFINITY): number {
  return Math.min(MOST_SKEW_MS, (nextMs - dueMs) / 10)
}

function startAgain({ ending, endedMs }: Attempt, attempts: number): number | undefined {
  if (ending.kind === 'person') return undefined
  if (ending.kind === 'at') return ending.atMs
  // Interrupted work resumes at once. If interrupted again it waits: the work itself may end the process.
  const waits = ending.kind === 'interrupted' ? [0, ...WAITS_MS] : WAITS_MS
  return endedMs + (waits[attempts - 1] ?? LONGEST_WAIT_MS)
}

const MINUTE_MS = 60_000
export const MOST_SKEW_MS = MINUTE_MS
const LONGEST_WAIT_MS = 60 * MINUTE_MS
const WAITS_MS = [5 * MINUTE_MS, 15 * MINUTE_MS, LONGEST_WAIT_MS]
