import { type Job, jobsBefore } from '../core/define/job.ts'

/**
 * Starts the jobs in parallel, except those that read details of another job's lists: they begin when that
 * job has ended, whatever its outcome and the order of the jobs. Two jobs that each read a parent of the
 * other do not both wait.
 */
export function startInOrder<T>(
  jobs: readonly Job[],
  start: (job: Job) => Promise<T>,
): Promise<T>[] {
  const ends = new Map<Job, Promise<T>>()
  const begun = new Set<Job>()
  const begin = (job: Job): Promise<T> | undefined => {
    if (begun.has(job)) return ends.get(job)
    begun.add(job)
    const before = jobsBefore(job, jobs).flatMap((other) => begin(other) ?? [])
    const end = before.length === 0 ? start(job) : Promise.allSettled(before).then(() => start(job))
    ends.set(job, end)
    return end
  }
  return jobs.flatMap((job) => begin(job) ?? [])
}

/** Makes jobs wait until the jobs with expiring files have downloaded those files. */
export interface JobTurns {
  /** Settles when the job may begin. */
  wait(job: Job): Promise<unknown>
  /** Releases the jobs that wait for this one. */
  pass(job: Job): void
}

/** Jobs with expiring files download these before all other jobs begin, even jobs of another call quota. */
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
