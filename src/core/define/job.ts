import type { FileSource } from './file-source.ts'
import type { Report } from './report.ts'
import { fetchedStream, type Stream } from './stream.ts'

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

/** The streams whose rows the job fans out from: those that another job has to read first, or itself. */
export function parentsOf({ streams }: Pick<Job, 'streams'>): Stream[] {
  return streams.flatMap(({ sync }) =>
    sync.kind === 'fan-out' ? [fetchedStream(sync.parent)] : [],
  )
}

/** The others of these jobs that read a parent of the job's streams. */
export function jobsBefore<T extends Pick<Job, 'streams'>>(job: T, jobs: readonly T[]): T[] {
  const parents = parentsOf(job).filter((stream) => !job.streams.includes(stream))
  return jobs.filter(
    (other) => other !== job && other.streams.some((stream) => parents.includes(stream)),
  )
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
