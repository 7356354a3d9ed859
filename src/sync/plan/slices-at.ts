import type { Stream } from '../../core/define/stream.ts'
import type { Window } from '../../core/time/spans.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { limitsOf, type PlannedSlice, type PlanTime, windowOf } from './plan-stream.ts'
import { type WindowBlock, windowBlocks } from './windows.ts'

/**
 * The slices whose blocks contain the given instants. If the service itself has no history limit, an instant
 * beyond the account's limit is requested as a single day, so that no other old days are read.
 */
export function slicesAt(
  stream: Stream,
  instantsMs: readonly number[],
  time: PlanTime,
): PlannedSlice[] {
  const { sync } = stream
  if (sync.kind !== 'windows') return []
  const limits = limitsOf(sync, time)
  const historyLimitMs = time.nowMs - limits.historyLimitDays * DAY_MS
  const holds = ({ fromMs, toMs }: Window): boolean =>
    instantsMs.some((atMs) => atMs >= Math.max(fromMs, historyLimitMs) && atMs < toMs)
  const older = sync.unbounded === true ? instantsMs.filter((atMs) => atMs < historyLimitMs) : []
  const days = new Set(older.map((atMs) => Math.floor(atMs / DAY_MS) * DAY_MS))
  const slice = (owned: WindowBlock, historyLimitDays: number): PlannedSlice => ({
    ...windowOf(sync, owned, { ...limits, historyLimitDays }),
    added: true,
  })
  return [
    ...windowBlocks(limits, () => undefined)
      .filter(holds)
      .map((owned) => slice(owned, limits.historyLimitDays)),
    ...[...days].map((fromMs) => slice({ fromMs, toMs: fromMs + DAY_MS }, Infinity)),
  ]
}
