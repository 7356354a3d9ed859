import type { Window } from '../../core/time/spans.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import { startOfDay, type WindowLimits } from './windows.ts'

/**
 * The days around both ends of these months. A month by itself may lack its first or last day, or hours of
 * them: a service may leave out either bound, or count days in another zone. A service that refuses a range
 * over the end of a month, or cuts it there, leaves nothing out, or nobody could ever read it.
 */
export function monthEnds(
  blocks: readonly Window[],
  { byMonth, nowMs, historyLimitDays }: WindowLimits,
): { slice: string; asked: Window; shown: Window }[] {
  if (!byMonth) return []
  const marginMs = MARGIN_DAYS * DAY_MS
  const limitMs = startOfDay(nowMs - historyLimitDays * DAY_MS)
  const bounds = new Set(blocks.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))
  return [...bounds]
    .filter((ms) => new Date(ms).getUTCDate() === 1 && ms > limitMs && ms <= nowMs)
    .map((ms) => {
      const [fromMs, toMs] = [ms - marginMs, ms + marginMs]
      const asked = { fromMs: Math.max(fromMs, limitMs), toMs: Math.min(toMs - 1, nowMs) }
      return { slice: `around=${utcDay(ms)}`, asked, shown: { fromMs, toMs } }
    })
}

/** So that the days next to a month's end are shown where the first and last of those asked for are not. */
const MARGIN_DAYS = 2
