import { sql } from 'kysely'
import type { Ending } from '../../core/time/ending.ts'
import type { Attempt } from '../../core/time/next-start.ts'
import { nextReset } from '../../sync/ending.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import type { RunState } from '../../warehouse/schema/types.ts'

/** A job, task or report. Only attempts since `sinceMs` are requested. */
export interface AskedWork {
  account: string
  job: string
  kind?: 'report' | 'task'
  sinceMs: number
}

/** Returns the last attempts at each work, oldest first, in the order of `works`. */
export async function attemptsInLedger(
  warehouse: Warehouse,
  works: readonly AskedWork[],
): Promise<Attempt[][]> {
  const attempts = works.map((): Attempt[] => [])
  // In parts, because a process may look at 100,000 works at once.
  for (let first = 0; first < works.length; first += WORKS_A_READ)
    for (const run of await readAttempts(warehouse, works.slice(first, first + WORKS_A_READ)))
      attempts[first + run.place - 1]?.push(attemptOf(run))
  return attempts
}

/** Converts a run of the ledger to an attempt. A run that is still open counts as interrupted. */
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

/** Returns the ending of a run that recorded none, by its state. */
function usualEnding({ state }: RunEnd, endedMs: number): Ending {
  if (state === 'complete') return { kind: 'done' }
  if (state === 'paused') return { kind: 'at', atMs: nextReset(endedMs) }
  return { kind: state === 'running' || state === 'interrupted' ? 'interrupted' : 'again' }
}

interface RunAttempt {
  /** The index of the work in the list of works, from 1. */
  place: number
  state: RunState
  started_at: string
  finished_at: string | null
  /** The recorded ending; null if the run was killed before it recorded one. */
  ending: unknown
}

/** Reads the last attempts at each work, oldest first. Omits runs of a part of a job. */
async function readAttempts({ db }: Warehouse, works: readonly AskedWork[]): Promise<RunAttempt[]> {
  const runs = db
    .selectFrom('callsheet.runs')
    .select(['id', 'account', 'job', 'started_at', 'finished_at'])
    .select(({ ref }) => [
      sql<boolean>`false`.as('isTask'),
      ref('state').$castTo<RunState>().as('state'),
      sql`summary->'ending'`.as('ending'),
    ])
    .where('partial', '=', false)
  const tasks = db
    .selectFrom('callsheet.task_runs')
    .select(['id', 'account', 'task as job', 'started_at', 'finished_at'])
    .select(({ ref }) => [
      sql<boolean>`true`.as('isTask'),
      ref('state').$castTo<RunState>().as('state'),
      sql`ending`.as('ending'),
    ])
  return await db
    .selectFrom(askedRows(works).as('w'))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom(runs.unionAll(tasks).as('a'))
          .selectAll()
          .whereRef('account', '=', 'w.account')
          .whereRef('job', '=', 'w.job')
          .whereRef('isTask', '=', 'w.isTask')
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

/** Returns the requested works as rows, each with its index from 1. */
function askedRows(works: readonly AskedWork[]) {
  type Row = Pick<AskedWork, 'account' | 'job'> & { place: number; isTask: boolean; since: string }
  return sql<Row>`(
    select place, account, job, is_task as "isTask", since from unnest(
      ${works.map(({ account }) => account)}::text[], ${works.map(({ job }) => job)}::text[],
      ${works.map(({ kind }) => kind !== undefined)}::boolean[],
      ${works.map(({ sinceMs }) => new Date(sinceMs).toISOString())}::timestamptz[])
    with ordinality as w (account, job, is_task, since, place))`
}

const WORKS_A_READ = 5_000
/** The maximum number of attempts read per work. Further attempts do not change the next start. */
const MOST_RUNS = 30
