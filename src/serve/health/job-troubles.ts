import { dueTimes } from '../../core/time/due-times.ts'
import { MOST_SKEW_MS, skewOf } from '../../core/time/next-start.ts'
import { DELETION_GUARD, type Failure, NOT_ALLOWED } from '../../sync/run/failure.ts'
import type { HealthFacts, JobFacts, JobRun } from './facts.ts'

/** A problem of one job: the reason why its runs fail, or a delay for no known reason. */
export interface Trouble {
  job: JobFacts
  sinceMs: number
  /** The run that shows the problem. */
  run: JobRun | undefined
  /** The failure; undefined if the problem is only a delay. */
  failed: { failure: Failure | undefined; times: number; blocked: boolean } | undefined
  /** How late the job is; undefined if the problem is a failure. */
  late: { never: boolean; dueMs: number; tried: boolean; untried: boolean } | undefined
}

/** Returns the problems of the enabled jobs. A job that fails for two current reasons has two problems. */
export function troublesOf(facts: HealthFacts, nowMs: number): Trouble[] {
  const { firstMs, settings } = facts
  if (firstMs === undefined) return []
  const times = { firstMs, graceMs: settings.graceHours * HOUR_MS, nowMs }
  return facts.jobs.flatMap((job): Trouble[] => {
    const reasons = standing(job)
    if (reasons.some(({ failed }) => isOwnCause(facts, failed.failure?.key))) return []
    const late = lateness(job, { ...times, awakeMs: facts.awakeMs })
    const isLate = late !== undefined && !late.untried
    const failing = reasons.filter(
      ({ failed: { failure, blocked, times: count } }) =>
        failure?.key !== DELETION_GUARD && (isLate || blocked || count >= MANY),
    )
    if (failing.length > 0) return failing.map((trouble) => ({ ...trouble, job, late: undefined }))
    if (late === undefined) return []
    return [{ job, sinceMs: late.sinceMs, run: job.runs.at(-1), failed: undefined, late }]
  })
}

/**
 * Whether the failure is reported as another cause: a held-back deletion or a refused stream. An approved
 * deletion is no cause, because the job only waits for its next run.
 */
function isOwnCause({ drops, refused }: HealthFacts, key: string | undefined): boolean {
  if (key === DELETION_GUARD) return drops.length > 0
  return key === NOT_ALLOWED && refused.length > 0
}

/**
 * Returns the current reasons for failure since the last successful run: the newest, and older ones of runs
 * that got further than all later runs, because a run that stopped earlier cannot show that they are fixed.
 * Ignores runs that were interrupted or wait for quota.
 */
function standing({ runs }: JobFacts) {
  const tried = runs.filter(({ running, ending: { kind } }) => !running && !NEUTRAL.has(kind))
  const failed = tried.slice(tried.findLastIndex(({ ending }) => ending.kind === 'done') + 1)
  const [first] = failed
  let deepest = -1
  return failed
    .map((run, index) => ({ run, times: index + 1 }))
    .reverse()
    .filter(({ run: { failure } }) => {
      const depth = failure?.depth ?? UNKNOWN_DEPTH
      const stands = depth > deepest
      deepest = Math.max(deepest, depth)
      return stands
    })
    .map(({ run, times }) => ({
      run,
      sinceMs: first?.endedMs ?? run.endedMs,
      failed: { failure: run.failure, times, blocked: run.ending.kind === 'person' },
    }))
}

interface Times {
  firstMs: number
  graceMs: number
  nowMs: number
  awakeMs: number | undefined
}

/**
 * Returns how late a job is. A job is overdue if the grace period after a due time has passed and no complete
 * run began since that due time. A job is not overdue while a run that began within the grace period is
 * running. A due time before the account's first run counts from that run.
 */
function lateness(facts: JobFacts, { firstMs, graceMs, nowMs, awakeMs }: Times) {
  const { runs, lastDoneMs } = facts
  const dueMs = lastDue(facts, nowMs - graceMs)
  if (dueMs === undefined || Math.max(dueMs, firstMs) + graceMs >= nowMs) return undefined
  const times = dueTimes(facts)
  const fromMs = dueMs - skewOf(dueMs, times.next(dueMs))
  if (lastDoneMs !== undefined && lastDoneMs >= fromMs) return undefined
  const { running = false, startedMs = 0 } = runs.at(-1) ?? {}
  if (running && startedMs >= fromMs && startedMs <= dueMs + graceMs) return undefined
  const sinceMs = lastDoneMs === undefined ? firstMs : times.next(lastDoneMs + MOST_SKEW_MS)
  return {
    never: lastDoneMs === undefined,
    dueMs,
    tried: startedMs >= fromMs,
    untried: isUntried(runs, { fromMs, awakeMs, endMs: (awakeMs ?? 0) + graceMs, nowMs }),
    sinceMs: Math.min(sinceMs ?? dueMs, Math.max(dueMs, firstMs)),
  }
}

/**
 * Whether `callsheet serve` started or woke up too recently to have tried the job. A job with `MANY` ended
 * attempts since its due time counts as tried, however often the process restarted.
 */
function isUntried(
  runs: readonly JobRun[],
  {
    fromMs,
    awakeMs,
    endMs,
    nowMs,
  }: { fromMs: number; awakeMs: number | undefined; endMs: number; nowMs: number },
): boolean {
  if (awakeMs === undefined || awakeMs <= fromMs || nowMs > endMs) return false
  const ended = runs.filter(({ running, startedMs }) => !running && startedMs >= fromMs)
  return ended.length < MANY && !ended.some(({ startedMs }) => startedMs >= awakeMs - MOST_SKEW_MS)
}

/** Returns the last due time strictly before an instant. */
export function lastDue(job: JobFacts, beforeMs: number): number | undefined {
  return dueTimes(job).last(beforeMs - 1)
}

export const HOUR_MS = 3_600_000
/** The failures in a row after which a failure is reported even if the job is neither overdue nor blocked. */
export const MANY = 3
const NEUTRAL: ReadonlySet<string> = new Set(['interrupted', 'at'])
/** The depth of a failed run without a recorded failure. */
const UNKNOWN_DEPTH = 2
