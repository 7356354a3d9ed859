import type { ReportJob } from '../../core/define/job.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { addMonths, zonedInstant } from '../../core/time/zone.ts'

/**
 * The parameters of a scheduled report that is due at an instant: the month, the seven days or the day
 * before its day in the zone. A report of the present has none.
 */
export function spanParams(
  { span, report }: Pick<ReportJob, 'span' | 'report'>,
  { dueMs, timeZone }: { dueMs: number; timeZone: string },
): Record<string, string> {
  const day = zonedInstant(dueMs, timeZone).slice(0, 10)
  if (span === 'present') return {}
  if (span === 'day before') return { day: dayBefore(day, 1) }
  if (span === 'week before') return { from: dayBefore(day, 7), to: dayBefore(day, 1) }
  const { from, to } = monthBefore(dueMs, timeZone)
  return 'month' in report.params.shape ? { month: from.slice(0, 7) } : { from, to }
}

/** The first and the last day of the month before an instant's, in a zone. */
export function monthBefore(atMs: number, timeZone: string): { from: string; to: string } {
  const month = zonedInstant(atMs, timeZone).slice(0, 7)
  return { from: `${addMonths(month, -1)}-01`, to: dayBefore(`${month}-01`, 1) }
}

function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10)
}
