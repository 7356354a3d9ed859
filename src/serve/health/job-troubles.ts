import { dueTimes } from '../../core/time/due-times.ts'
import { MOST_SKEW_MS, skewOf } from '../../core/time/next-start.ts'
import { DELETION_GUARD, type Failure, NOT_ALLOWED } from '../../sync/run/failure.ts'
import type { HealthFacts, JobFacts, JobRun } from './facts.ts'

/** Why one job is not well: a reason why its runs fail, or that it is late without any. */
export interface Trouble {
  job: JobFacts
  sinceMs: number
  /** The run that says more. */
  run: JobRun | undefined
  /** Undefined: no run failed. */
  failed: { failure: Failure | undefined; times: number; blocked: boolean } | undefined
  /** Undefined: not late yet. */
  late: { never: boolean; dueMs: number; tried: boolean; untried: boolean } | undefined
}

/** What is wrong with each enabled job. One that fails for two reasons that both stand has two. */
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

/** Drops and refused streams are causes themselves. After an approval the job just waits for its next run. */
function isOwnCause({ drops, refused }: HealthFacts, key: string | undefined): boolean {
  if (key === DELETION_GUARD) return drops.length > 0
  return key === NOT_ALLOWED && refused.length > 0
}

/**
 * The reasons for which runs failed since the last one that was done: the newest, and earlier ones of runs
 * that got further, since a later run that did not come so far shows nothing of them. Runs that were
 * interrupted or wait for the quota neither fail nor succeed.
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
 * A job is overdue when the grace of a due time is over, and no run that began since is done. A run that is
 * under way and began within the grace is given its time. What was due before the ledger knew of the account
 * counts as due when it first did.
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
 * Whether the service has been able to work for too short a time to have tried it. A job that was tried
 * several times since it was due has had its chance, however often the service was started anew.
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

/** The last due time before an instant, and not at it. */
export function lastDue(job: JobFacts, beforeMs: number): number | undefined {
  return dueTimes(job).last(beforeMs - 1)
}

export const HOUR_MS = 3_600_000
/** In a row. Fewer are tried again soon, and often mend themselves. */
const MANY = 3
const NEUTRAL: ReadonlySet<string> = new Set(['interrupted', 'at'])
/** Of a run whose record has no reason. */
const UNKNOWN_DEPTH = 2
