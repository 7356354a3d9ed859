/** Returns every day of a month `yyyy-mm`, as `yyyy-mm-dd`. */
export function daysOf(month: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(`${month}-01`); dayAt(at).startsWith(month); at += DAY_MS)
    days.push(dayAt(at))
  return days
}

export function weekdayOf(day: string): string {
  return WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] ?? ''
}

/** Returns the Monday of the day's week. */
export function mondayOf(day: string): string {
  return dayAt(Date.parse(day) - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS)
}

export function addDays(day: string, count: number): string {
  return dayAt(Date.parse(day) + count * DAY_MS)
}

function dayAt(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10)
}

const DAY_MS = 86_400_000
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
