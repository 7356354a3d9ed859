import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { type AskedJob, askedRows, MOST_RUNS, type RunAttempt } from './attempts.ts'

/** A task of an account that is due since an instant, in epoch milliseconds. */
export interface DueTask {
  account: string
  task: string
  dueMs: number
}

export interface TaskEnd {
  state: 'complete' | 'incomplete' | 'failed' | 'interrupted'
  ending: object
  /** What came of it, as JSON. It holds no personal data. */
  detail: object
  error: string | undefined
}

/**
 * Records that an attempt begins, and returns its number. An earlier one that is still open was killed,
 * because the caller holds the account's lease.
 */
export async function beginTask(
  warehouse: Warehouse,
  { account, task, dueMs }: DueTask,
): Promise<number> {
  return await warehouse.transaction(async (tx) => {
    await tx
      .updateTable('callsheet.task_runs')
      .set({ state: 'interrupted', finished_at: now })
      .where('account', '=', account)
      .where('task', '=', task)
      .where('state', '=', 'running')
      .execute()
    const due = new Date(dueMs).toISOString()
    const { id } = await tx
      .insertInto('callsheet.task_runs')
      .values({ account, task, due_at: due, state: 'running', started_at: now, detail: '{}' })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}

export async function endTask(
  warehouse: Warehouse,
  id: number,
  { state, ending, detail, error }: TaskEnd,
): Promise<void> {
  await warehouse.db
    .updateTable('callsheet.task_runs')
    .set({
      state,
      ending: JSON.stringify(ending),
      detail: JSON.stringify(detail),
      error: error ?? null,
      finished_at: now,
    })
    .where('id', '=', id)
    .execute()
}

/** What the last ended attempt at this very due time came to; undefined if there was none. */
export async function lastDetail(
  db: Transaction,
  { account, task, dueMs }: DueTask,
): Promise<unknown> {
  const row = await db
    .selectFrom('callsheet.task_runs')
    .select('detail')
    .where('account', '=', account)
    .where('task', '=', task)
    .where('due_at', '=', new Date(dueMs).toISOString())
    .where('state', 'in', ['complete', 'incomplete', 'failed'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.detail
}

/** The last attempts at each task that began at or after its instant, oldest first. */
export async function readTaskAttempts(
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

/** Of these jobs those of which a run was ever complete. */
export async function everComplete(
  warehouse: Warehouse,
  account: string,
  jobs: readonly string[],
): Promise<Set<string>> {
  const rows = await warehouse.db
    .selectFrom('callsheet.runs')
    .select('job')
    .distinct()
    .where('account', '=', account)
    .where('job', 'in', [...jobs])
    .where('state', '=', 'complete')
    .execute()
  return new Set(rows.map(({ job }) => job))
}
