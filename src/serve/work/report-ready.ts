import type { Job, ReportJob } from '../../core/define/job.ts'
import { fetchedStream } from '../../core/define/stream.ts'
import type { DueTimes } from '../../core/time/due-times.ts'
import { type Attempt, MOST_SKEW_MS } from '../../core/time/next-start.ts'

/** A job that reads what a report needs. */
export interface NeededJob {
  name: string
  times: DueTimes
  /** Those that began at or after the job's last due time before the report's, oldest first. */
  attempts: readonly Attempt[]
  everComplete: boolean
  /** The report tells of its runs, however they ended, so that it waits for the end of one alone. */
  told?: boolean
}

/** Until when a report waits, and for which jobs. */
export interface ReportWait {
  untilMs: number
  jobs: readonly string[]
}

/**
 * When to look again whether a report may be made, and what it waits for; undefined if it may be made now.
 * It waits until each needed job is complete since that job's last due time before the report's, or has
 * ended if the report tells how it ended. At its deadline it is made as things stand, but never before each
 * needed job was complete once.
 */
export function notBefore(
  { dueMs, deadlineMs, nowMs }: { dueMs: number; deadlineMs: number; nowMs: number },
  needed: readonly NeededJob[],
): ReportWait | undefined {
  const open = needed.filter((job) => !isDone(job, dueMs))
  if (open.length === 0) return undefined
  const again = { untilMs: nowMs + LOOK_AGAIN_MS, jobs: open.map(({ name }) => name) }
  if (open.some(({ everComplete, told }) => !everComplete && told !== true)) return again
  if (nowMs >= deadlineMs) return undefined
  return { ...again, untilMs: Math.min(again.untilMs, deadlineMs) }
}

/**
 * The jobs that read the streams of a report, those that are cut from another included. A report without
 * needs is about the runs of all the jobs whose streams it shows.
 */
export function jobsFor({ report }: Pick<ReportJob, 'report'>, jobs: readonly Job[]): Job[] {
  const { optional = [] } = report
  const asked = tellsOfRuns(report) ? optional : report.needs
  const needed = new Set(asked.map((stream) => fetchedStream(stream).name))
  return jobs.filter(({ streams }) => streams.some(({ name }) => needed.has(name)))
}

/** Whether a report is about the ledgers of runs, and not about what they read. */
export function tellsOfRuns({ needs }: Pick<ReportJob['report'], 'needs'>): boolean {
  return needs.length === 0
}

function isDone({ times, attempts, told = false }: NeededJob, dueMs: number): boolean {
  const sinceMs = times.last(dueMs)
  if (sinceMs === undefined) return true
  return attempts.some(
    ({ startedMs, ending: { kind } }) =>
      (kind === 'done' || (told && kind !== 'interrupted')) && startedMs >= sinceMs - MOST_SKEW_MS,
  )
}

const LOOK_AGAIN_MS = 5 * 60_000
