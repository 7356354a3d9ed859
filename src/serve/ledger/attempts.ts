import { sql } from 'kysely'
import type { Warehouse } from '../../warehouse/connect.ts'
import type { RunState } from '../../warehouse/schema/types.ts'

/** A job, and the instant from which its runs are wanted. */
export interface AskedJob {
  account: string
  job: string
  sinceMs: number
}

/** An attempt at a job; `place` is the job's place in the list that was asked for, from 1. */
export interface RunAttempt {
  place: number
  state: RunState
  started_at: string
  finished_at: string | null
  /** What the attempt left behind about how it ended, if it got that far. */
  ending: unknown
}

/**
 * The last runs of each complete job that began at or after its instant, oldest first. `place` is the job's
 * place in the list, from 1. `ending` is what the run left in its summary, if it got that far.
 */
export async function readAttempts(
  warehouse: Warehouse,
  jobs: readonly AskedJob[],
): Promise<RunAttempt[]> {
  return await warehouse.db
    .selectFrom(askedRows(jobs).as('w'))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('callsheet.runs')
          .select(['id', 'state', 'started_at', 'finished_at'])
          .select(sql`summary->'ending'`.as('ending'))
          .whereRef('account', '=', 'w.account')
          .whereRef('job', '=', 'w.job')
          .whereRef('started_at', '>=', 'w.since')
          .where('partial', '=', false)
          .orderBy('id', 'desc')
          .limit(MOST_RUNS)
          .as('r'),
      (join) => join.onTrue(),
    )
    .select(['w.place', 'r.state', 'r.started_at', 'r.finished_at', 'r.ending'])
    .orderBy('r.id')
    .execute()
}

/** The jobs that are asked for as rows, each with its place in the list, from 1. */
export function askedRows(jobs: readonly AskedJob[]) {
  return sql<{ place: number; account: string; job: string; since: string }>`(
    select place, account, job, since from unnest(
      ${jobs.map(({ account }) => account)}::text[], ${jobs.map(({ job }) => job)}::text[],
      ${jobs.map(({ sinceMs }) => new Date(sinceMs).toISOString())}::timestamptz[])
    with ordinality as w (account, job, since, place))`
}

/** More attempts since one due time do not change the next start. */
export const MOST_RUNS = 30
