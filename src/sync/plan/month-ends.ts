import type { Window } from '../../core/time/spans.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import { startOfDay, type WindowLimits } from './windows.ts'

/** A range of days around the end of a month. */
export interface EndRange {
  slice: string
  monthEndMs: number
  asked: Window
  shown: Window
}

/**
 * Plans the days around both ends of these months. The read of a month may lack its first or last day, or
 * hours of them: a service may leave out either bound, or count days in another zone.
 */
export function monthEnds(blocks: readonly Window[], limits: WindowLimits): EndRange[] {
  if (!limits.byMonth) return []
  const limitMs = startOfDay(limits.nowMs - limits.historyLimitDays * DAY_MS)
  const bounds = new Set(blocks.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))
  return [...bounds]
    .filter((ms) => new Date(ms).getUTCDate() === 1 && ms > limitMs && ms <= limits.nowMs)
    .map((ms) => rangeAt('around', ms, { limits, days: [-MARGIN_DAYS, MARGIN_DAYS - 1] }))
}

/**
 * Plans shorter ranges, for a service that refuses the days around a month's end. Each shows the day that a
 * read of the month leaves out: its last day (`leftOut.to`) or the next month's first (`leftOut.from`).
 */
export function shortEnds(
  ends: readonly number[],
  limits: WindowLimits,
  leftOut: { from: boolean; to: boolean },
): EndRange[] {
  return ends.flatMap((ms) => [
    ...(leftOut.to ? [rangeAt('before', ms, { limits, days: [-MARGIN_DAYS, 0] })] : []),
    ...(leftOut.from ? [rangeAt('after', ms, { limits, days: [-1, MARGIN_DAYS - 1] })] : []),
  ])
}

/** `days` are the first and last requested days, counted from the day that begins at the month's end. */
function rangeAt(
  name: string,
  monthEndMs: number,
  { limits, days: [first, last] }: { limits: WindowLimits; days: readonly [number, number] },
): EndRange {
  const limitMs = startOfDay(limits.nowMs - limits.historyLimitDays * DAY_MS)
  const [fromMs, toMs] = [monthEndMs + first * DAY_MS, monthEndMs + (last + 1) * DAY_MS]
  const asked = { fromMs: Math.max(fromMs, limitMs), toMs: Math.min(toMs - 1, limits.nowMs) }
  return { slice: `${name}=${utcDay(monthEndMs)}`, monthEndMs, asked, shown: { fromMs, toMs } }
}

/** Days requested on each side of a month's end: the service may leave out the outermost days. */
const MARGIN_DAYS = 2
