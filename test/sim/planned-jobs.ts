import { jobs } from '../../src/cli/catalog.ts'
import type { Job } from '../../src/core/job.ts'
import type { Stream } from '../../src/core/stream.ts'
import { HORIZON_DAYS } from './company.ts'
import type { Plan } from './plan.ts'

export function jobsOf(plan: Plan): readonly Job[] {
  return SHORTENED.filter((job) => plan.jobs.includes(job.name))
}

export function streamsOf(plan: Plan): readonly Stream[] {
  return jobsOf(plan).flatMap((job) => job.streams)
}

/** The product's own jobs, with a shorter horizon. Streams name their parents, so these are replaced too. */
function shorten(job: Job): Job {
  const short = new Map<Stream, Stream>()
  for (const stream of job.streams) {
    const { sync } = stream
    if (sync.kind === 'windows')
      short.set(stream, { ...stream, sync: { ...sync, horizonDays: HORIZON_DAYS } })
    else if (sync.kind === 'snapshot') short.set(stream, stream)
    else
      short.set(stream, { ...stream, sync: { ...sync, parent: short.get(sync.parent) as Stream } })
  }
  return { ...job, streams: [...short.values()] }
}

const SHORTENED: readonly Job[] = jobs.map(shorten)
