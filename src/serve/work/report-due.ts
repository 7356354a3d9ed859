import { jobs, reportJobs } from '../../account/catalog.ts'
import { pick } from '../../account/choose.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { jobsOf } from '../../config/account-jobs.ts'
import type { Job, ReportJob } from '../../core/define/job.ts'
import type { Observer } from '../../core/define/observer.ts'
import { fetchedStream } from '../../core/define/stream.ts'
import { type DueTimes, dueTimes } from '../../core/time/due-times.ts'
import { type Attempt, MOST_SKEW_MS } from '../../core/time/next-start.ts'
import { zonedInstant } from '../../core/time/zone.ts'
import { attemptsInLedger } from '../ledger/attempts.ts'
import { runSpans } from '../ledger/job-runs.ts'
import type { Work } from '../queue/dispatcher.ts'
import { spanParams } from './span-params.ts'

/** A job that reads what a report needs. */
export interface NeededJob {
  name: string
  times: DueTimes
  /** The attempts since the job's last due time before the report's, oldest first. */
  attempts: readonly Attempt[]
  everComplete: boolean
  /** Whether each run not interrupted counts as an end, because the report describes the job's runs. */
  anyEnding?: boolean
}

/** When to check a report again, and the jobs that it waits for; no jobs if it is not due before then. */
export interface ReportWait {
  untilMs: number
  jobs: readonly string[]
}

/**
 * Returns undefined if a report may be made now, else how long it waits. Each needed job must have completed
 * a run since it was last due before the report was (with `anyEnding`, each run not interrupted counts).
 * After the deadline, only jobs never complete and without `anyEnding` keep the report waiting.
 */
export function notBefore(
  { dueMs, deadlineMs, nowMs }: { dueMs: number; deadlineMs: number; nowMs: number },
  needed: readonly NeededJob[],
): ReportWait | undefined {
  const open = needed.filter((job) => !isDone(job, dueMs))
  if (open.length === 0) return undefined
  const wait = { untilMs: nowMs + CHECK_AGAIN_MS, jobs: open.map(({ name }) => name) }
  if (open.some((job) => !job.everComplete && job.anyEnding !== true)) return wait
  if (nowMs >= deadlineMs) return undefined
  return { ...wait, untilMs: Math.min(wait.untilMs, deadlineMs) }
}

function isDone({ times, attempts, anyEnding = false }: NeededJob, dueMs: number): boolean {
  const sinceMs = times.last(dueMs)
  if (sinceMs === undefined) return true
  return attempts.some(
    ({ startedMs, ending: { kind } }) =>
      (kind === 'done' || (anyEnding && kind !== 'interrupted')) &&
      startedMs >= sinceMs - MOST_SKEW_MS,
  )
}

/**
 * Returns the jobs that read the streams that a report needs, without its optional ones; for a report about
 * runs, those that it shows. A nested stream is read with its parent.
 */
export function jobsFor({ report }: Pick<ReportJob, 'report'>, all: readonly Job[]): Job[] {
  const { needs, optional = [] } = report
  const shown = isAboutRuns(report) ? optional : needs
  const names = new Set(shown.map((stream) => fetchedStream(stream).name))
  return all.filter(({ streams }) => streams.some(({ name }) => names.has(name)))
}

/** Whether a report needs no streams and so describes the runs themselves. */
export function isAboutRuns({ needs }: Pick<ReportJob['report'], 'needs'>): boolean {
  return needs.length === 0
}

/** Returns true if a report about a day's runs describes a day before the account's first run. */
export function isBeforeFirst(
  job: Pick<ReportJob, 'report' | 'span'>,
  { dueMs, firstMs, timeZone }: { dueMs: number; firstMs: number; timeZone: string },
): boolean {
  if (!isAboutRuns(job.report)) return false
  const { day } = spanParams(job, { dueMs, timeZone })
  if (day === undefined) return false
  return !Number.isFinite(firstMs) || zonedInstant(firstMs, timeZone).slice(0, 10) > day
}

/** Reads from the ledgers whether a due report may be made. */
export async function reportNotBefore(
  { warehouse, wiring: { clock, config } }: OpenWarehouse,
  { account, job, ...schedule }: Work,
  dueMs: number,
): Promise<ReportWait | undefined> {
  const reportJob = pick('job', job, reportJobs)
  const spans = await runSpans(warehouse.db, account)
  const firstMs = Math.min(...spans.map(({ first }) => Date.parse(first)))
  if (isBeforeFirst(reportJob, { dueMs, firstMs, timeZone: config.timezone }))
    return { untilMs: dueTimes(schedule).next(dueMs) ?? dueMs + LONGEST_WAIT_MS, jobs: [] }
  const enabled = jobsOf(config, pick('account', account, config.accounts))
  const needed = jobsFor(reportJob, jobs).flatMap(({ name }) => {
    const due = enabled[name]
    return due === undefined ? [] : [{ name, times: dueTimes(due) }]
  })
  if (needed.length === 0) return undefined
  const asked = needed.map(({ name, times }) => ({
    account,
    job: name,
    sinceMs: (times.last(dueMs) ?? dueMs) - MOST_SKEW_MS,
  }))
  const attempts = await attemptsInLedger(warehouse, asked)
  return notBefore(
    { dueMs, deadlineMs: dueMs + LONGEST_WAIT_MS, nowMs: clock.now() },
    needed.map((one, at) => ({
      ...one,
      attempts: attempts[at] ?? [],
      everComplete: spans.some((span) => span.job === one.name && span.lastComplete !== null),
      anyEnding: isAboutRuns(reportJob.report),
    })),
  )
}

/** Logs the jobs that a report waits for. Logs again only if the list or the due time changes. */
export function reportWaits(observer: Observer) {
  const logged = new Map<string, string>()
  return ({ account, job }: Work, dueMs: number, wait: ReportWait | undefined): void => {
    const key = JSON.stringify([account, job])
    const reason = wait?.jobs.join(', ') ?? ''
    const isNew = logged.get(key) !== `${dueMs} ${reason}`
    logged.set(key, `${dueMs} ${reason}`)
    if (wait === undefined || !isNew) return
    const until = new Date(wait.untilMs).toISOString()
    if (wait.jobs.length === 0)
      return observer.event('report not due', { account, job, reason: BEFORE_FIRST, until })
    const facts = { account, job, reason: `for ${reason}`, until }
    observer.event('report waits', { ...facts, level: 'warn' })
  }
}

const BEFORE_FIRST = "its day is before the account's first run"
const CHECK_AGAIN_MS = 5 * 60_000
/** How long a report waits at most, unless a needed job was never complete. */
const LONGEST_WAIT_MS = 24 * 3_600_000
