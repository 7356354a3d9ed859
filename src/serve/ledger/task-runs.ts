import { sql } from 'kysely'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { refuseElsewhere } from '../../warehouse/ledger/moved.ts'
import { now } from '../../warehouse/schema/expressions.ts'

/** A due task or report of an account. `dueMs` is in epoch milliseconds. */
export interface DueTask {
  account: string
  task: string
  dueMs: number
}

export interface TaskEnd {
  state: 'complete' | 'incomplete' | 'failed' | 'interrupted'
  ending: object
  /** The result, stored as JSON, without personal data. */
  detail: object
  error: string | undefined
}

/**
 * Records the start of an attempt, and returns its ID. An earlier attempt that is still open is marked as
 * interrupted; if its process ends it later, the attempt gets that result.
 */
export async function beginTask(
  warehouse: Warehouse,
  { account, task, dueMs }: DueTask,
): Promise<number> {
  await refuseElsewhere(warehouse, account)
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
  { account, id }: { account: string; id: number },
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
    .where('account', '=', account)
    .where('id', '=', id)
    .execute()
}

/** Returns the result of the last uninterrupted attempt at this due time; undefined if there was none. */
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

/** An attempt at a report or task that has ended without being interrupted. */
export interface TaskAttempt {
  task: string
  state: 'complete' | 'incomplete' | 'failed'
  ending: unknown
  error: string | null
  endedAt: string
}

/** Returns the last `MOST_ATTEMPTS` attempts at each of these reports and tasks, newest first. */
export async function lastAttempts(
  db: Transaction,
  { account, tasks }: { account: string; tasks: readonly string[] },
): Promise<TaskAttempt[]> {
  return await db
    .selectFrom(sql<{ task: string }>`unnest(${[...tasks]}::text[])`.as<'asked'>(sql`asked(task)`))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('callsheet.task_runs')
          .select(['id', 'ending', 'error', 'finished_at'])
          .select(({ ref }) => ref('state').$castTo<TaskAttempt['state']>().as('state'))
          .where('account', '=', account)
          .whereRef('task', '=', 'asked.task')
          .where('state', 'in', ['complete', 'incomplete', 'failed'])
          .orderBy('id', 'desc')
          .limit(MOST_ATTEMPTS)
          .as('t'),
      (join) => join.onTrue(),
    )
    .select(['asked.task', 't.state', 't.ending', 't.error'])
    .select(sql<string>`t.finished_at`.as('endedAt'))
    .orderBy('t.id', 'desc')
    .execute()
}

/** The maximum number of attempts per task: enough for a day of hourly ones. */
const MOST_ATTEMPTS = 30
