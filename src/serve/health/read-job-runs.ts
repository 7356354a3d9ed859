import type { Job } from '../../core/define/job.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import type { RunState } from '../../warehouse/schema/types.ts'

/** The runs that say how a job stands. */
export interface JobRuns {
  lastRun: { id: number; partial: boolean; state: RunState; startedAt: string } | undefined
  /** Of the whole job. */
  lastComplete: { id: number; startedAt: string; finishedAt: string } | undefined
}

export const NEVER_RUN: JobRuns = { lastRun: undefined, lastComplete: undefined }

/** Of each of these jobs the latest run, and the latest complete one of the whole job. */
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
    },
    lastComplete: complete && {
      id: complete.id,
      startedAt: complete.started_at,
      finishedAt: complete.finished_at ?? complete.started_at,
    },
  }
}
