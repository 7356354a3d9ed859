import type { Job } from '../../core/declare/job.ts'

/**
 * Starts the jobs side by side, but for those that read the details of what another one lists: they begin
 * when that one has ended, however it ended. Of two jobs the one that lists comes first.
 */
export function startInOrder<T>(
  jobs: readonly Job[],
  start: (job: Job) => Promise<T>,
): Promise<T>[] {
  const started: { job: Job; end: Promise<T> }[] = []
  for (const job of jobs) {
    const before = started.filter((other) => readsFor(other.job, job)).map(({ end }) => end)
    const end = before.length === 0 ? start(job) : Promise.allSettled(before).then(() => start(job))
    started.push({ job, end })
  }
  return started.map(({ end }) => end)
}

/** Whether one job reads a parent of another one's streams. */
function readsFor({ streams: read }: Job, { streams }: Job): boolean {
  return streams.some(({ sync }) => sync.kind === 'fan-out' && read.includes(sync.parent))
}
