import { createTask, parse } from 'node-cron'
import { DAY_MS } from './time.ts'
import { zonedInstant, zonedMs } from './zone.ts'

/** When work is due: a cron expression, read in a time zone. */
export interface Due {
  schedule: string
  timezone: string
}

export interface DueTimes {
  /** The last due time at or before an instant; undefined if there is none in the five years before. */
  last(nowMs: number): number | undefined
  /** The next due time after an instant; undefined if there is none in the five years after. */
  next(nowMs: number): number | undefined
}

/** Cached, because node-cron never frees a parsed expression, and thousands of accounts share a few. */
export function dueTimes({ schedule, timezone }: Due): DueTimes {
  const name = JSON.stringify([schedule, timezone])
  const times = KEPT.get(name) ?? makeDueTimes({ schedule, timezone })
  KEPT.set(name, times)
  return times
}

/**
 * The expression gives the times of a day, and node-cron decides which days match. So the search goes day by
 * day: a yearly job takes some hundred steps. A local time that clocks skip is due at the first instant after
 * it, a repeated time only once. A result is cached until its next due time.
 */
function makeDueTimes({ schedule, timezone }: Due): DueTimes {
  const { hour, minute, second, month } = parse(schedule)
  const times = hour
    .flatMap((h) => minute.flatMap((m) => second.map((s) => [h, m, s].map(twoDigits).join(':'))))
    .sort()
  const months: ReadonlySet<number> = new Set(month)
  const days = createTask(`0 0 12 ${schedule.trim().split(/\s+/).slice(-3).join(' ')}`, () => {}, {
    timezone: 'UTC',
  })
  const isDue = (date: Date): boolean => months.has(date.getUTCMonth() + 1) && days.match(date)
  const search = (nowMs: number, step: 1 | -1): number | undefined => {
    // Noon of the local day, written as if it were UTC.
    const todayMs = Date.parse(`${zonedInstant(nowMs, timezone).slice(0, 10)}T12:00:00Z`)
    for (let day = 0; day <= MOST_DAYS; day++) {
      const date = new Date(todayMs + step * day * DAY_MS)
      if (!isDue(date)) continue
      const dueAt = (time: string): number =>
        zonedMs(`${date.toISOString().slice(0, 10)}T${time}`, timezone)
      const passed = countWhile(times, (time) => dueAt(time) <= nowMs)
      const found = times[step > 0 ? passed : passed - 1]
      if (found !== undefined) return dueAt(found)
    }
    return undefined
  }
  let known = { fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY }
  const around = (nowMs: number) => {
    if (nowMs < known.fromMs || nowMs >= known.toMs)
      known = {
        fromMs: search(nowMs, -1) ?? Number.NEGATIVE_INFINITY,
        toMs: search(nowMs, 1) ?? Number.POSITIVE_INFINITY,
      }
    return known
  }
  const finite = (ms: number): number | undefined => (Number.isFinite(ms) ? ms : undefined)
  return {
    last: (nowMs) => finite(around(nowMs).fromMs),
    next: (nowMs) => finite(around(nowMs).toMs),
  }
}

/** Counts the entries at the start of a list for which `holds` is true; it must be false for all others. */
function countWhile<T>(list: readonly T[], holds: (one: T) => boolean): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (holds(list[middle] as T)) from = middle + 1
    else to = middle
  }
  return from
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

const KEPT = new Map<string, DueTimes>()

/** Five years have a 29 February, except around 2100; a schedule not due within them counts as never due. */
const MOST_DAYS = 5 * 366
