import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'

export type JobRunRow = Awaited<ReturnType<typeof lastRuns>>[number]

/**
 * The last whole runs of each of these jobs, the oldest first. `ending`, `failure`, `notAllowed`,
 * `unexplained`, `unwitnessed` and `findings` are what a run left in its summary, if it got that far.
 */
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

/** Of each job that ever ran: when its first run began, and the last whole one that was complete. */
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

/** A day of hourly tries. */
const MOST_RUNS = 30
