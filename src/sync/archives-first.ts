import type { Job } from '../core/define/job.ts'

/** Whose turn it is: jobs whose files expire go ahead of all others. */
export interface JobTurns {
  /** Settles when the job may begin. */
  wait(job: Job): Promise<unknown>
  /** The others need not wait for this job any longer. */
  pass(job: Job): void
}

/**
 * What a job with expiring files fetches at once comes before all that other jobs ask for, whatever pool of
 * calls they share with it.
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
