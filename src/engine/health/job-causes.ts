import { dueTimes } from '../dispatch/due-times.ts'
import { MOST_SKEW_MS, skewOf } from '../dispatch/next-start.ts'
import type { HealthFacts, JobFacts, JobRun } from './facts.ts'
import type { FoundCause } from './order.ts'

/** Jobs that are overdue, and jobs that fail again and again or wait for a person. */
export function judgeJobs(facts: HealthFacts, nowMs: number): FoundCause[] {
  const { jobs, firstMs, settings } = facts
  if (firstMs === undefined) return neverSynced(facts, nowMs)
  const graceMs = settings.graceHours * HOUR_MS
  return jobs.flatMap((job) => [...overdue(job, { firstMs, graceMs, nowMs }), ...failing(job)])
}

/**
 * Nothing tells when the account came into the configuration, so nothing can be called late: a cause to look,
 * and none to be woken for.
 */
function neverSynced({ jobs, settings }: HealthFacts, nowMs: number): FoundCause[] {
  const beforeMs = nowMs - settings.graceHours * HOUR_MS
  const dues = jobs.flatMap((job) => lastDue(job, beforeMs) ?? [])
  if (dues.length === 0) return []
  return [
    {
      code: 'job_overdue',
      subject: 'all jobs',
      level: 'amber',
      sentence: 'No job of this account was ever run.',
      todo: 'Run callsheet serve, or callsheet sync.',
      sinceMs: Math.max(...dues),
    },
  ]
}

/**
 * A job is overdue when the grace of a due time is over, and no run that began since is done. A run that is
 * under way and began within the grace is given its time. What was due before the ledger knew of the account
 * counts as due when it first did.
 */
function overdue(
  facts: JobFacts,
  { firstMs, graceMs, nowMs }: { firstMs: number; graceMs: number; nowMs: number },
): FoundCause[] {
  const { job, runs, lastDoneMs } = facts
  const dueMs = lastDue(facts, nowMs - graceMs)
  if (dueMs === undefined || Math.max(dueMs, firstMs) + graceMs >= nowMs) return []
  const times = dueTimes(facts)
  const fromMs = dueMs - skewOf(dueMs, times.next(dueMs))
  if (lastDoneMs !== undefined && lastDoneMs >= fromMs) return []
  const newest = runs.at(-1)
  const { running = false, startedMs = 0 } = newest ?? {}
  if (running && startedMs >= fromMs && startedMs <= dueMs + graceMs) return []
  const sinceMs = lastDoneMs === undefined ? firstMs : times.next(lastDoneMs + MOST_SKEW_MS)
  return [
    {
      code: 'job_overdue',
      subject: job,
      level: 'red',
      sentence:
        lastDoneMs === undefined
          ? `The job ${job} was due and has never been done.`
          : `The job ${job} is not done since it was last due.`,
      todo: overdueTodo(newest, fromMs),
      sinceMs: Math.min(sinceMs ?? dueMs, Math.max(dueMs, firstMs)),
    },
  ]
}

/** `fromMs`: since when a run counts for what was last due. */
function overdueTodo(newest: JobRun | undefined, fromMs: number): string {
  if (newest === undefined) return 'Look whether callsheet serve runs, or run callsheet sync.'
  if (newest.running) return `Run ${newest.id} is under way: callsheet runs ${newest.id}`
  if (newest.ending.kind === 'at')
    return `Run ${newest.id} waits for the next day's quota: callsheet plan shows what it needs.`
  if (newest.startedMs >= fromMs)
    return `callsheet runs ${newest.id} says why it is not done. callsheet serve tries again by itself.`
  return `Look whether callsheet serve runs. Its last run: callsheet runs ${newest.id}`
}

/**
 * Runs that were interrupted or wait for the quota neither fail nor succeed. One that needs a person is not
 * waited for to fail again.
 */
function failing({ job, runs }: JobFacts): FoundCause[] {
  const tried = runs.filter(({ running, ending: { kind } }) => !running && !NEUTRAL.has(kind))
  const good = tried.findLastIndex(({ ending }) => ending.kind === 'done')
  const failed = tried.slice(good + 1)
  const [first, last] = [failed[0], failed.at(-1)]
  if (first === undefined || last === undefined) return []
  const person = last.ending.kind === 'person'
  if (!person && failed.length < MANY) return []
  return [
    {
      code: 'job_failing',
      subject: job,
      level: 'red',
      sentence: person
        ? `The job ${job} cannot go on until a person has acted.`
        : `The last ${failed.length} runs of the job ${job} failed or were incomplete.`,
      todo: person
        ? `callsheet runs ${last.id} says why; jobs.${job}.enabled: false gives the job up.`
        : `callsheet runs ${last.id} says why; callsheet doctor checks the account.`,
      sinceMs: first.endedMs,
    },
  ]
}

/** The last due time before an instant, and not at it. */
function lastDue(job: JobFacts, beforeMs: number): number | undefined {
  return dueTimes(job).last(beforeMs - 1)
}

const HOUR_MS = 3_600_000
/** In a row. Fewer are tried again soon, and often mend themselves. */
const MANY = 3
const NEUTRAL: ReadonlySet<string> = new Set(['interrupted', 'at'])
