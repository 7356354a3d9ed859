import type { Window } from '../time/spans.ts'
import type { FileSource } from './file-source.ts'
import type { Report } from './report.ts'
import { fetchedStream, type Stream } from './stream.ts'

/** A scheduled sync. Each job has a file in `jobs/` with its name. */
export interface Job {
  name: string
  title: string
  /** Default cron expression, UTC unless the configuration names a zone. */
  schedule: string
  /** A parent comes before the streams that fan out from it. Nested streams are read with their parents. */
  streams: readonly Stream[]
  /** The files of the job's records, downloaded after the lists are read; expiring files also before. */
  archive?: FileSource
  /** Has only some streams of the job of this name: its run does not count as a run of the whole job. */
  partial?: true
  /** Reads only the windows that touch this range, so its run says nothing about the rest of its streams. */
  range?: Window
}

export function defineJob(job: Job): Job {
  return Object.freeze(job)
}

/** The streams whose rows the job fans out from: this job or another one has to read them first. */
export function parentsOf({ streams }: Pick<Job, 'streams'>): Stream[] {
  return streams.flatMap(({ sync }) =>
    sync.kind === 'fan-out' ? [fetchedStream(sync.parent)] : [],
  )
}

/** The other jobs that read a parent of this job's streams. */
export function jobsBefore<T extends Pick<Job, 'streams'>>(job: T, jobs: readonly T[]): T[] {
  const parents = parentsOf(job).filter((stream) => !job.streams.includes(stream))
  return jobs.filter(
    (other) => other !== job && other.streams.some((stream) => parents.includes(stream)),
  )
}

/** The period that a scheduled report covers, counted back from its due time. */
export type ReportSpan = 'month before' | 'week before' | 'day before' | 'present'

/** Makes a report on a schedule. Each report job has a file in `jobs/` with its name. */
export interface ReportJob {
  name: string
  title: string
  schedule: string
  report: Report
  span: ReportSpan
}

export function defineReportJob(job: ReportJob): ReportJob {
  return Object.freeze(job)
}
