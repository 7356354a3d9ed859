import { createTask, parse, validateDetailed } from 'node-cron'
import type { Due } from './due-times.ts'
import { DAY_MS } from './time.ts'

/**
 * Returns the longest time between two due times of a schedule, in milliseconds, ignoring daylight saving
 * time; a day for a schedule that is invalid or never due. The current time does not matter.
 */
export function longestWaitMs({ schedule }: Pick<Due, 'schedule'>): number {
  if (!validateDetailed(schedule).valid) return DAY_MS
  const { hour, minute } = parse(schedule)
  const times = hour
    .flatMap((h) => minute.map((m) => (h * 60 + m) * MINUTE_MS))
    .sort((a, b) => a - b)
  const [first = 0] = times
  const last = times.at(-1) ?? 0
  const days = longestDaysMs(schedule, TWO_YEARS) ?? longestDaysMs(schedule, RARE_YEARS)
  if (days === undefined) return DAY_MS
  const within = times.slice(1).map((at, index) => at - (times[index] ?? 0))
  return Math.max(days - last + first, ...within)
}

/** Returns the longest time between consecutive matching days; undefined if there are fewer than two. */
function longestDaysMs(schedule: string, mostDays: number): number | undefined {
  const months: ReadonlySet<number> = new Set(parse(schedule).month)
  const [, , ...ofDays] = schedule.trim().split(/\s+/).slice(-5)
  const days = createTask(`0 0 12 ${ofDays.join(' ')}`, () => {}, { timezone: 'UTC' })
  let before: number | undefined
  let longest: number | undefined
  for (let day = 0; day <= mostDays; day++) {
    const at = FROM_MS + day * DAY_MS
    const date = new Date(at)
    if (!months.has(date.getUTCMonth() + 1) || !days.match(date)) continue
    if (before !== undefined) longest = Math.max(longest ?? 0, at - before)
    before = at
  }
  return longest
}

const MINUTE_MS = 60_000
const FROM_MS = Date.parse('2026-01-01T12:00:00Z')
/** Long enough for a yearly schedule to be due twice. */
const TWO_YEARS = 2 * 366
/** Long enough for the rarest schedule, February 29 on one weekday, to be due twice. */
const RARE_YEARS = 57 * 366
