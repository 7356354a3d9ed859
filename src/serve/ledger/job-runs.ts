import { sql } from 'kysely'
import type { Job } from '../../core/define/job.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import type { RunState } from '../../warehouse/schema/types.ts'

export type JobRunRow = Awaited<ReturnType<typeof lastRuns>>[number]

/** Returns the last whole runs of each job, oldest first, with some fields of their summaries. */
export async function lastRuns(
  db: Transaction,
  { account, jobs }: { account: string; jobs: readonly string[] },
) {
  const asked = sql<{ job: string }>`unnest(${[...jobs]}::text[])`
  return await db
    .selectFrom(asked.as<'asked'>(sql`asked(job)`))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('callsheet.runs')
          .select(['id', 'state', 'started_at', 'finished_at', 'summary'])
          .where('account', '=', account)
          .whereRef('job', '=', 'asked.job')
          .where('partial', '=', false)
          .orderBy('id', 'desc')
          .limit(MOST_RUNS)
          .as('r'),
      (join) => join.onTrue(),
    )
    .select(['asked.job', 'r.id', 'r.state', 'r.started_at', 'r.finished_at'])
    .select([
      sql`r.summary->'ending'`.as('ending'),
      sql`r.summary->'failure'`.as('failure'),
      sql<Record<string, string> | null>`r.summary->'notAllowed'`.as('notAllowed'),
      sql`r.summary->'evidence'->'unexplained'`.as('unexplained'),
      sql<string | null>`r.summary->'evidence'->>'unwitnessed'`.as('unwitnessed'),
      sql`r.summary->'findings'`.as('findings'),
    ])
    .orderBy('r.id')
    .execute()
}

/** Returns, for each job that ever ran, the start of its first run and of its last complete whole run. */
export async function runSpans(
  db: Transaction,
  account: string,
): Promise<{ job: string; first: string; lastComplete: string | null }[]> {
  return await db
    .selectFrom('callsheet.runs')
    .select(({ fn }) => [
      'job',
      fn.min('started_at').as('first'),
      fn
        .max<string | null>('started_at')
        .filterWhere('state', '=', 'complete')
        .filterWhere('partial', '=', false)
        .as('lastComplete'),
    ])
    .where('account', '=', account)
    .groupBy('job')
    .orderBy('job')
    .execute()
}

/** The maximum number of runs per job: enough for a day of hourly attempts. */
const MOST_RUNS = 30

interface LastRun {
  id: number
  partial: boolean
  state: RunState
  startedAt: string
  /** Whether the run was complete but had nothing to read. */
  isIdle: boolean
}

export interface JobRuns {
  lastRun: LastRun | undefined
  /** The last complete run of the whole job. */
  lastComplete: { id: number; startedAt: string; finishedAt: string } | undefined
}

export const NEVER_RUN: JobRuns = { lastRun: undefined, lastComplete: undefined }

/** Returns, for each job, its latest run and the latest complete run of the whole job. */
export async function readJobRuns(
  { db }: Warehouse,
  { account, jobs }: { account: string; jobs: readonly Pick<Job, 'name'>[] },
): Promise<Map<string, JobRuns>> {
  const latest = db
    .selectFrom('callsheet.runs')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('account', '=', account)
    .groupBy('job')
  const complete = latest.where('state', '=', 'complete').where('partial', '=', false)
  const runs = await db
    .selectFrom('callsheet.runs')
    .select(['id', 'job', 'partial', 'state', 'started_at', 'finished_at'])
    .select(
      sql<boolean>`state = 'complete' and not summary @? '$.slices.*.planned ? (@ > 0)'`.as(
        'is_idle',
      ),
    )
    .where('account', '=', account)
    .where('id', 'in', latest.unionAll(complete))
    .orderBy('id', 'desc')
    .execute()
  return new Map(jobs.map(({ name }) => [name, runsOf(runs, name)]))
}

interface Run {
  id: number
  job: string
  partial: boolean
  state: RunState
  started_at: string
  finished_at: string | null
  is_idle: boolean
}

function runsOf(runs: readonly Run[], job: string): JobRuns {
  const last = runs.find((run) => run.job === job)
  const complete = runs.find((run) => run.job === job && run.state === 'complete' && !run.partial)
  return {
    lastRun: last && {
      id: last.id,
      partial: last.partial,
      state: last.state,
      startedAt: last.started_at,
      isIdle: last.is_idle,
    },
    lastComplete: complete && {
      id: complete.id,
      startedAt: complete.started_at,
      finishedAt: complete.finished_at ?? complete.started_at,
    },
  }
}
