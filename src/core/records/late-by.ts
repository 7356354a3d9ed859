/**
 * Within how many days nine of ten records of a stream arrive; undefined if unknown. Ignores records a week
 * late or more: a first sync of older days loads such records.
 */
export function lateBy(
  days: readonly { lateDays: number | null; rows: number }[],
): number | undefined {
  const late = days.map(({ lateDays, rows }) => ({ lateDays: lateDays ?? MOST_LATE_DAYS, rows }))
  const inTime = late.filter(({ lateDays }) => lateDays < MOST_LATE_DAYS)
  const total = inTime.reduce((sum, { rows }) => sum + rows, 0)
  if (total === 0) return undefined
  for (let most = 0; most < MOST_LATE_DAYS; most++) {
    const later = inTime.filter(({ lateDays }) => lateDays > most)
    if (later.reduce((sum, { rows }) => sum + rows, 0) * 10 <= total) return most
  }
  return MOST_LATE_DAYS
}

const MOST_LATE_DAYS = 7
