import { sql } from 'kysely'
import type { Warehouse } from '../connection/connect.ts'

/** A job whose runs are asked for, from an instant on. */
export interface AskedJob {
  account: string
  job: string
  sinceMs: number
}

export type RunAttempt = Awaited<ReturnType<typeof readAttempts>>[number]

/**
 * The last runs of whole jobs that began at or after their instants, the oldest first; `place` is that of the
 * job. `ending` is what the run left in its summary, if it got that far.
 */
export async function readAttempts(warehouse: Warehouse, jobs: readonly AskedJob[]) {
  const asked = sql<{ place: number; account: string; job: string; since: string }>`(
    select place, account, job, since from unnest(
      ${jobs.map(({ account }) => account)}::text[], ${jobs.map(({ job }) => job)}::text[],
      ${jobs.map(({ sinceMs }) => new Date(sinceMs).toISOString())}::timestamptz[])
    with ordinality as w (account, job, since, place))`
  return await warehouse.db
    .selectFrom(asked.as('w'))
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

/** More tries of one due time make no difference to the next one. */
const MOST_RUNS = 30
