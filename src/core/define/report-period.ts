import type { Window } from '../time/spans.ts'

export interface Period extends Window {
  label: string
}

export interface ReportPeriods {
  period: Period
  before: Period
}

export interface ReportMoment {
  asOfMs: number
  timeZone: string
}
