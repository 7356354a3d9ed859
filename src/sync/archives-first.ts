import type { Job } from '../core/define/job.ts'

/** The order of jobs: those whose files expire run before all others. */
export interface JobTurns {
  /** Settles when the job may begin. */
  wait(job: Job): Promise<unknown>
  /** Releases the jobs that wait for this one. */
  pass(job: Job): void
}

/**
 * Jobs that fetch expiring files send their requests before all other jobs, whatever call quota they share.
 */
export function archivesFirst(jobs: readonly Job[], fetches: (job: Job) => boolean): JobTurns {
  const ahead = new Map<Job, PromiseWithResolvers<void>>()
  for (const job of jobs)
    if (job.archive?.expiresAt !== undefined && fetches(job))
      ahead.set(job, Promise.withResolvers<void>())
  const passed = Promise.all([...ahead.values()].map(({ promise }) => promise))
  return {
    wait: (job) => (ahead.has(job) ? Promise.resolve() : passed),
    pass: (job) => ahead.get(job)?.resolve(),
  }
}
