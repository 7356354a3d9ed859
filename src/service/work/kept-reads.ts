import type { Clock } from '../../core/time/clock.ts'

/**
 * Shares a read between all who ask: those who ask while it is under way get its answer, and so do those who
 * ask within 30 seconds after it. A read that took long is kept for twenty times as long as it took, so that
 * reading is never what the database is busy with. A failure is not kept.
 */
export function sharedRead<T>(clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let kept: { value: T; untilMs: number } | undefined
  let underWay: Promise<T> | undefined
  const readNow = async (): Promise<T> => {
    const beganMs = clock.elapsed()
    const value = await read()
    const endedMs = clock.elapsed()
    const keptMs = Math.max(LEAST_KEPT_MS, KEPT_FOR_EACH * (endedMs - beganMs))
    kept = { value, untilMs: endedMs + keptMs }
    return value
  }
  return async () => {
    if (kept !== undefined && clock.elapsed() < kept.untilMs) return kept.value
    underWay ??= readNow().finally(() => {
      underWay = undefined
    })
    return await underWay
  }
}

/** How long a value counts that changes only when something else does, which its mark tells. */
export interface Validity {
  /** Undefined: what changes meanwhile is not waited for. */
  mark: string | undefined
  longestMs: number
}

/** Keeps the last value of a read for as long as its mark stays the same and it is not too old. */
export function markedRead<T>(
  clock: Clock,
): (validity: Validity, read: () => Promise<T>) => Promise<T> {
  let kept: { value: T; mark: string | undefined; readMs: number } | undefined
  return async ({ mark, longestMs }, read) => {
    const nowMs = clock.elapsed()
    const isValid = mark === undefined || kept?.mark === mark
    if (kept !== undefined && isValid && nowMs - kept.readMs < longestMs) return kept.value
    const value = await read()
    kept = { value, mark, readMs: nowMs }
    return value
  }
}

const LEAST_KEPT_MS = 30_000
const KEPT_FOR_EACH = 20
