import type { ReportJob } from '../../core/define/job.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { monthBefore, zonedInstant } from '../../core/time/zone.ts'

/**
 * Returns the parameters of a scheduled report: the calendar month, the seven days or the day before its due
 * day in the time zone. A report on the present has no parameters.
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

function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10)
}
