/**
 * By how many days records of a stream come late, but for one of ten. What came a week late was read for the
 * first time, and says nothing of that.
 */
export function lateBy(days: readonly { lateDays: number; rows: number }[]): number {
  const inTime = days.filter(({ lateDays }) => lateDays < MOST_LATE_DAYS)
  const total = inTime.reduce((sum, { rows }) => sum + rows, 0)
  for (let late = 0; late < MOST_LATE_DAYS; late++) {
    const later = inTime.filter(({ lateDays }) => lateDays > late)
    if (later.reduce((sum, { rows }) => sum + rows, 0) * 10 <= total) return late
  }
  return MOST_LATE_DAYS
}

const MOST_LATE_DAYS = 7
