import { jobs } from '../../src/account/catalog.ts'
import type { Job } from '../../src/core/define/job.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { shortJobs } from '../helpers/short-jobs.ts'
import type { Plan } from './plan.ts'
import { HORIZON_DAYS } from './seed-data.ts'

export function jobsOf(plan: Plan): readonly Job[] {
  return SHORTENED.filter((job) => plan.jobs.includes(job.name))
}

export function streamsOf(plan: Plan): readonly Stream[] {
  return jobsOf(plan).flatMap((job) => job.streams)
}

/** The stream, and all whose rows its own belong to. */
export function lineageOf(stream: Stream): Stream[] {
  return 'parent' in stream.sync ? [stream, ...lineageOf(stream.sync.parent)] : [stream]
}

/** The product's own jobs, with a shorter horizon. */
const SHORTENED: readonly Job[] = shortJobs(jobs, HORIZON_DAYS)
