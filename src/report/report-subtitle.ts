import type { ReportPeriods } from '../core/define/report.ts'
import { toMinutes } from '../core/time/time.ts'
import { zonedInstant } from '../core/time/zone.ts'

interface Titled {
  account: string
  periods: ReportPeriods | undefined
  asOfMs: number
  timeZone: string
  /** The filters by person or board, by parameter name. */
  only: Readonly<Record<string, unknown>>
}

/** The line under the title of each sheet: sheets are printed and shared separately. */
export function subtitleOf({ account, periods, asOfMs, timeZone, only }: Titled): string {
  const parts = [
    `Account ${account}`,
    ...(periods === undefined ? [] : [periods.period.label]),
    ...Object.entries(only).map(([name, value]) => `only ${name} ${shortened(String(value))}`),
    `as of ${toMinutes(zonedInstant(asOfMs, timeZone))} (${timeZone})`,
  ]
  return parts.join(' · ')
}

/** The provenance has the full value; a sheet's footer has no room for more. */
function shortened(value: string): string {
  return value.length <= MOST_SHOWN ? value : `${value.slice(0, MOST_SHOWN - 1).toWellFormed()}…`
}

const MOST_SHOWN = 60
