import { capitalize } from '../../core/values/text.ts'
import { ACCOUNT_ELSEWHERE } from '../../warehouse/ledger/moved.ts'
import type { FoundCause } from './causes.ts'
import type { HealthFacts } from './facts.ts'
import { HOUR_MS, lastDue, type Trouble, troublesOf } from './job-troubles.ts'
import { plainProblem } from './problems.ts'

/**
 * Reports jobs that are overdue, that fail repeatedly, or that are blocked until a person acts. Jobs that
 * fail for the same reason are one cause. All jobs that are overdue without a failure are one cause, because
 * probably no process runs jobs; so are all that wait for quota.
 */
export function judgeJobs(facts: HealthFacts, nowMs: number): FoundCause[] {
  if (facts.firstMs === undefined)
    return facts.unusable?.code === ACCOUNT_ELSEWHERE ? [] : neverSynced(facts, nowMs)
  const troubles = troublesOf(facts, nowMs)
  const reasons = Map.groupBy(troubles, reasonOf)
  return [...reasons].map(([reason, same]) => {
    const sinceMs = Math.min(...same.map((one) => one.sinceMs))
    return { ...textOf(reason, same, facts), level: 'red', sinceMs, quiet: quietOf(same) }
  })
}

/**
 * Reports in amber an account that was never synced. No record shows when the account was added to the
 * configuration, so no job is known to be late.
 */
function neverSynced({ jobs, settings }: HealthFacts, nowMs: number): FoundCause[] {
  const beforeMs = nowMs - settings.graceHours * HOUR_MS
  const dues = jobs.flatMap((job) => lastDue(job, beforeMs) ?? [])
  if (dues.length === 0) return []
  return [
    {
      code: 'job_overdue',
      subject: LATE,
      level: 'amber',
      sentence: 'No job of this account has ever run.',
      todo: 'Start `callsheet serve`, which runs jobs on schedule, or run `callsheet sync`.',
      sinceMs: Math.max(...dues),
    },
  ]
}

/**
 * Returns the key that groups jobs: their error, `NO_QUOTA` or `LATE`. A failure without a key is grouped by
 * its job.
 */
function reasonOf({ job, failed, run }: Trouble): string {
  if (failed !== undefined) return failed.failure?.key ?? job.job
  return run?.running === false && run.ending.kind === 'at' ? NO_QUOTA : LATE
}

function quietOf(troubles: readonly Trouble[]): FoundCause['quiet'] {
  return troubles.every(({ late }) => late?.untried === true) ? 'untried' : undefined
}

type Text = Pick<FoundCause, 'code' | 'subject' | 'sentence' | 'todo'>

function textOf(reason: string, troubles: readonly Trouble[], facts: HealthFacts): Text {
  const { quotas, login } = facts
  const [first] = troubles.toSorted((a, b) => a.sinceMs - b.sinceMs)
  const jobs = jobsText(troubles)
  const many = troubles.length > 1
  if (reason === NEEDS_REAUTH && login?.state === 'held')
    return {
      code: 'job_failing',
      subject: reason,
      sentence: `The account is logged in again. ${jobs} ${many ? 'are' : 'is'} still blocked.`,
      todo: 'Run `callsheet sync`, or start `callsheet serve` again.',
    }
  if (first?.failed !== undefined) return failingText(reason, first, jobs)
  if (reason === NO_QUOTA) {
    const short = quotas.find(({ planned, left = planned }) => planned > left)
    return {
      code: short === undefined ? 'job_overdue' : 'quota_short',
      subject: short?.pool ?? NO_QUOTA,
      sentence: `${jobs} ${many ? 'are' : 'is'} overdue, waiting for the next day's quota.`,
      todo: 'Nothing to do: the quota renews at 00:00 UTC. `callsheet plan` shows which jobs need the calls.',
    }
  }
  const rest = first?.late?.never === true ? NEVER_DONE : NOT_DONE
  return {
    code: 'job_overdue',
    subject: LATE,
    sentence: `${jobs} ${rest[many ? 1 : 0]}.`,
    todo: lateTodo(first),
  }
}

/** Returns the code, sentence and remedy of a failure. `jobs` names the jobs that it affects. */
function failingText(reason: string, { failed, run, job }: Trouble, jobs: string): Text {
  const { failure, times = 0, blocked = false } = failed ?? {}
  const code = reason === NEEDS_REAUTH ? 'login_ended' : 'job_failing'
  const subject = code === 'login_ended' ? 'login' : reason
  const many = jobs.startsWith('The job') ? 0 : 1
  if (failure === undefined)
    return {
      code,
      subject,
      sentence: blocked
        ? `The job ${job.job} is blocked until somebody acts.`
        : times === 1
          ? `The last run of the job ${job.job} failed or was incomplete.`
          : `The last ${times} runs of the job ${job.job} failed or were incomplete.`,
      todo: `Run \`callsheet runs ${run?.id}\` to see why, and \`callsheet doctor\` to check the account.`,
    }
  const known = KNOWN[reason]
  const came = capitalize(plainProblem(known?.came(failure.came) ?? failure.came))
  const verb = blocked ? (many ? 'are blocked' : 'is blocked') : many ? 'fail' : 'fails'
  const todo = known?.todo ?? failure.todo
  const remedy =
    todo === undefined
      ? `Run \`callsheet runs ${run?.id}\` to see the details.`
      : `${capitalize(plainProblem(todo))}.`
  const again = blocked && failure.depth === 1 ? ` ${THEN}` : ''
  return { code, subject, sentence: `${came}. ${jobs} ${verb}.`, todo: `${remedy}${again}` }
}

function jobsText(troubles: readonly Trouble[]): string {
  const names = [...new Set(troubles.map(({ job }) => job.job))]
  return names.length === 1 ? `The job ${names[0]}` : `${names.length} jobs`
}

function lateTodo(first: Trouble | undefined): string {
  const { run, late } = first ?? {}
  if (run === undefined) return 'Check that `callsheet serve` is running, or run `callsheet sync`.'
  if (run.running)
    return `Wait for run ${run.id}, which is active. If the run hangs, end its callsheet process.`
  if (late?.tried === true)
    return `Run \`callsheet runs ${run.id}\` to see why. \`callsheet serve\` starts the job again by itself.`
  return `Check that \`callsheet serve\` is running. \`callsheet runs ${run.id}\` shows the job's last run.`
}

/** Replaces the cause and the remedy of these errors, by code. The remedy names the setting to change. */
const KNOWN: Readonly<Record<string, { came(came: string): string; todo: string }>> = {
  invalid_client: {
    came: (came) =>
      `the service rejects the client secret (${/HTTP \d+/.exec(came)?.[0] ?? 'HTTP 400'} invalid_client)`,
    todo: 'update `clientSecret`, then run `callsheet doctor`',
  },
}

/** The error code of an ended login. */
const NEEDS_REAUTH = 'needs_reauth'
const LATE = 'all jobs'
const NO_QUOTA = 'daily quota'
const NOT_DONE = ['is not done since it was last due', 'are not done since they were last due']
const NEVER_DONE = ['was due and has never been done', 'were due and have never been done']
/** Ends the remedy. A sync also runs blocked jobs that are not due; serve reads its configuration once. */
const THEN = 'Then run `callsheet sync`, and restart `callsheet serve` if it is running.'
