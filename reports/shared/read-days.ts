import type { ReportContext } from '../../src/core/define/report.ts'
import { uncovered } from '../../src/core/time/uncovered.ts'
import { zonedDayStartMs } from '../../src/core/time/zone.ts'
import { addDays, daysOf } from './calendar.ts'

/** Days that were not completely read. A day that was not read at all has no counts. */
export type LackingDays = ReadonlyMap<string, 'incomplete' | 'not read'>

type Context = Pick<ReportContext<unknown, never>, 'coverage' | 'timeZone' | 'unreadIn'>

export function lackingDays(
  { coverage: { unread }, timeZone }: Pick<Context, 'coverage' | 'timeZone'>,
  days: readonly string[],
): LackingDays {
  if (unread.length === 0) return new Map()
  return new Map(
    days.flatMap((day) => {
      const fromMs = zonedDayStartMs(day, timeZone)
      const toMs = zonedDayStartMs(addDays(day, 1), timeZone)
      if (!unread.some((window) => window.fromMs < toMs && window.toMs > fromMs)) return []
      return [[day, uncovered({ fromMs, toMs }, unread).length === 0 ? 'not read' : 'incomplete']]
    }),
  )
}

/** Returns the days of whole months, up to an instant, that were not completely read. */
export async function lackingInMonths(
  { coverage, timeZone, unreadIn }: Context,
  months: readonly string[],
  toMs: number,
): Promise<LackingDays> {
  const fromMs = zonedDayStartMs(`${months[0]}-01`, timeZone)
  const unread = await unreadIn({ fromMs, toMs })
  return lackingDays({ coverage: { ...coverage, unread }, timeZone }, months.flatMap(daysOf))
}

/** Lists unread days for the title of a chart: `2026-01-01 to 2026-01-08`. */
export function notReadDays(lacking: LackingDays): string {
  const days = [...lacking.keys()].filter((day) => lacking.get(day) === 'not read')
  const ranges: { from: string; to: string }[] = []
  for (const day of days.toSorted()) {
    const last = ranges.at(-1)
    if (last !== undefined && addDays(last.to, 1) === day) last.to = day
    else ranges.push({ from: day, to: day })
  }
  const shown = ranges.slice(0, MOST_RANGES)
  const said = shown.map(({ from, to }) => (from === to ? from : `${from} to ${to}`))
  return `${said.join(', ')}${ranges.length > MOST_RANGES ? ' and others' : ''}`
}

const MOST_RANGES = 4
