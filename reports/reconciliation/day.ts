import { z } from 'zod'
import type { Period, ReportMoment, ReportPeriods } from '../../src/core/define/report.ts'
import { zonedDayStartMs, zonedInstant } from '../../src/core/time/zone.ts'
import { addDays } from '../shared/calendar.ts'

/** The parameter of a report over one day. */
export const ONE_DAY = {
  day: z.iso
    .date('a day is yyyy-mm-dd, e.g. 2026-06-01')
    .optional()
    .describe('The day, yyyy-mm-dd; the last full day when it is left out'),
}

/** The named day, or the last full one before the report's moment; and the day before it. */
export function oneDay(
  { day }: { day?: string | undefined },
  { asOfMs, timeZone }: ReportMoment,
): ReportPeriods {
  const named = day ?? addDays(zonedInstant(asOfMs, timeZone).slice(0, 10), -1)
  return { period: periodOf(named, timeZone), before: periodOf(addDays(named, -1), timeZone) }
}

function periodOf(day: string, timeZone: string): Period {
  return {
    fromMs: zonedDayStartMs(day, timeZone),
    toMs: zonedDayStartMs(addDays(day, 1), timeZone),
    label: day,
  }
}
