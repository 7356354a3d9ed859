import type { Stream } from './stream.ts'

/** What runs on a schedule. One file each in `jobs/`, named as the job. */
export interface Job {
  name: string
  title: string
  /** Default cron expression, UTC unless the configuration names a zone. */
  schedule: string
  /** Parents before the streams that fan out from them. Cut streams come along with their parents. */
  streams: readonly Stream[]
}

export function defineJob(job: Job): Job {
  return Object.freeze(job)
}
