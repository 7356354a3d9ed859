import { sql } from 'kysely'
import type { Ending } from '../../core/time/ending.ts'
import type { Attempt } from '../../core/time/next-start.ts'
import { nextReset } from '../../sync/ending.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import type { RunState } from '../../warehouse/schema/types.ts'

/** Returns the attempts at each job, oldest first, in the order of `jobs`. */
export async function attemptsInLedger(
  warehouse: Warehouse,
  jobs: readonly AskedJob[],
): Promise<Attempt[][]> {
  return inPlace(jobs, await readAttempts(warehouse, jobs))
}

/** Returns the attempts at each task or report, oldest first, in the order of `tasks`. */
export async function taskAttemptsInLedger(
  warehouse: Warehouse,
  tasks: readonly AskedJob[],
): Promise<Attempt[][]> {
  return inPlace(tasks, await readTaskAttempts(warehouse, tasks))
}

function inPlace(asked: readonly AskedJob[], runs: readonly RunAttempt[]): Attempt[][] {
  const attempts = asked.map((): Attempt[] => [])
  for (const run of runs) attempts[run.place - 1]?.push(attemptOf(run))
  return attempts
}

/** Converts a run of the ledger to an attempt; one that is still open counts as interrupted. */
export function attemptOf(run: RunEnd): Attempt {
  const startedMs = Date.parse(run.started_at)
  const endedMs = Date.parse(run.finished_at ?? run.started_at)
  const ending = readEnding(run.ending) ?? usualEnding(run, endedMs)
  return { startedMs, endedMs, ending, failed: run.state === 'failed' }
}

type RunEnd = Pick<RunAttempt, 'state' | 'started_at' | 'finished_at' | 'ending'>

function readEnding(value: unknown): Ending | undefined {
  const { kind, atMs } = (value ?? {}) as { kind?: unknown; atMs?: unknown }
  if (kind === 'at') return typeof atMs === 'number' ? { kind, atMs } : undefined
  return kind === 'done' || kind === 'again' || kind === 'interrupted' || kind === 'person'
    ? { kind }
    : undefined
}

/** Returns the ending of a run that was killed before it recorded one. */
function usualEnding({ state }: RunEnd, endedMs: number): Ending {
  if (state === 'complete') return { kind: 'done' }
  if (state === 'paused') return { kind: 'at', atMs: nextReset(endedMs) }
  return { kind: state === 'running' || state === 'interrupted' ? 'interrupted' : 'again' }
}

/** A job, and the earliest start of the wanted runs. */
interface AskedJob {
  account: string
  job: string
  sinceMs: number
}

/** One row of an attempt. */
interface RunAttempt {
  /** The index of the job in the requested list, from 1. */
  place: number
  state: RunState
  started_at: string
  finished_at: string | null
  /** The recorded ending, if the run got that far. */
  ending: unknown
}

/** Reads the last runs of each whole job that began at or after its instant, oldest first. */
async function readAttempts(
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

/** Reads the last attempts at each task or report that began at or after its instant, oldest first. */
async function readTaskAttempts(
  warehouse: Warehouse,
  tasks: readonly AskedJob[],
): Promise<RunAttempt[]> {
  return await warehouse.db
    .selectFrom(askedRows(tasks).as('w'))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('callsheet.task_runs')
          .select(['id', 'state', 'started_at', 'finished_at', 'ending'])
          .whereRef('account', '=', 'w.account')
          .whereRef('task', '=', 'w.job')
          .whereRef('started_at', '>=', 'w.since')
          .orderBy('id', 'desc')
          .limit(MOST_RUNS)
          .as('r'),
      (join) => join.onTrue(),
    )
    .select(['w.place', 'r.state', 'r.started_at', 'r.finished_at', 'r.ending'])
    .orderBy('r.id')
    .execute()
}

/** Returns the requested jobs as rows, each with its index from 1. */
function askedRows(jobs: readonly AskedJob[]) {
  return sql<{ place: number; account: string; job: string; since: string }>`(
    select place, account, job, since from unnest(
      ${jobs.map(({ account }) => account)}::text[], ${jobs.map(({ job }) => job)}::text[],
      ${jobs.map(({ sinceMs }) => new Date(sinceMs).toISOString())}::timestamptz[])
    with ordinality as w (account, job, since, place))`
}

/** Further attempts since one due time do not change the next start. */
const MOST_RUNS = 30
