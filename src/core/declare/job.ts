import type { FileSource } from './file-source.ts'
import type { Report } from './report.ts'
import type { Stream } from './stream.ts'

/** What runs on a schedule. One file each in `jobs/`, named as the job. */
export interface Job {
  name: string
  title: string
  /** Default cron expression, UTC unless the configuration names a zone. */
  schedule: string
  /** Parents before the streams that fan out from them. Cut streams come along with their parents. */
  streams: readonly Stream[]
  /** The files that its records point at, fetched at the end of the job, and those soon gone before it. */
  archive?: FileSource
  /** Only a part of the job of this name: its runs say nothing of the rest. */
  partial?: true
}

export function defineJob(job: Job): Job {
  return Object.freeze(job)
}

/** The part of time that a scheduled report is about, counted back from when it is due. */
export type ReportSpan = 'month before' | 'week before' | 'day before' | 'present'

/** Makes a report on a schedule. One file each in `jobs/`, named as the job. */
export interface ReportJob {
  name: string
  title: string
  /** Default cron expression, UTC unless the configuration names a zone. */
  schedule: string
  report: Report
  span: ReportSpan
}

export function defineReportJob(job: ReportJob): ReportJob {
  return Object.freeze(job)
}
