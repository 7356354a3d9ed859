import { sql } from 'kysely'
import { cleanJson, cleanText } from '../../core/records/map-record.ts'
import { lockText } from '../advisory-lock.ts'
import type { Transaction, Warehouse } from '../connect.ts'
import { ago, now } from '../schema/expressions.ts'
import type { RunState } from '../schema/types.ts'
import type { Lease } from './lease.ts'

export interface RunToOpen {
  account: string
  job: string
  /** The run reads only part of the job, so it neither resumes nor ends a chain. */
  partial?: boolean
  lease: Lease
  /** Called with the IDs of closed runs, in the closing transaction. */
  onClosed?: OnClosed | undefined
}

export type OnClosed = (tx: Transaction, ids: readonly number[]) => Promise<void>

export interface OpenRun {
  id: number
  /** The first run of the chain of unfinished runs that this one resumes; its own ID if it starts a chain. */
  chainRunId: number
}

/**
 * Opens a run. A repeated call after a lost answer returns the same run. Runs that a killed process left open
 * are closed as interrupted: the lease has a new holder, so nobody works on them. After a run that was
 * stopped, killed, failed or out of quota, the new run resumes its chain: slices that the chain has read are
 * not read again. A chain ends after three days, or with a run that tried every slice.
 */
export async function openRun(
  warehouse: Warehouse,
  { account, job, partial = false, lease, onClosed }: RunToOpen,
): Promise<OpenRun> {
  return await warehouse.transaction(async (tx) => {
    await lease.check(tx)
    // Waits for an earlier attempt that the server may still be committing, and for other jobs of the
    // account, which would close the same runs.
    await lockText(tx, account, { space: RUN_LOCK })
    const left = await tx
      .updateTable('callsheet.runs')
      .set({
        state: 'interrupted',
        finished_at: now,
        error: 'the process ended without closing the run',
      })
      .where('account', '=', account)
      .where('state', '=', 'running')
      .where('epoch', '<', lease.epoch)
      .returning('id')
      .execute()
    const closed = left.map(({ id }) => id)
    if (closed.length > 0) await onClosed?.(tx, closed)
    const first = partial ? undefined : await openChain(tx, { account, job })
    const own = await tx
      .selectFrom('callsheet.runs')
      .select('id')
      .where('account', '=', account)
      .where('job', '=', job)
      .where('epoch', '=', lease.epoch)
      .where('state', '=', 'running')
      .executeTakeFirst()
    if (own !== undefined) return { id: own.id, chainRunId: first ?? own.id }
    const { id } = await tx
      .insertInto('callsheet.runs')
      .values({ account, job, epoch: lease.epoch, partial, state: 'running', started_at: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, chainRunId: first ?? id }
  })
}

/** Closes a run. Throws if the lease is lost; then the new holder closes the record. */
export async function closeRun(
  warehouse: Warehouse,
  { id, lease, onClosed }: { id: number; lease: Lease; onClosed?: OnClosed | undefined },
  end: { state: RunState; planned: object; summary: object; error: string | undefined },
): Promise<void> {
  await warehouse.transaction(async (tx) => {
    await lease.check(tx)
    await tx
      .updateTable('callsheet.runs')
      .set({
        state: end.state,
        finished_at: now,
        planned: JSON.stringify(end.planned),
        summary: cleanJson(JSON.stringify(end.summary)),
        error: end.error === undefined ? null : cleanText(end.error),
      })
      .where('account', '=', lease.account)
      .where('id', '=', id)
      .execute()
    await onClosed?.(tx, [id])
  })
}

export interface FailedStart {
  account: string
  jobs: readonly { name: string; partial?: boolean }[]
  /** The newest run before the jobs should have started; 0 if there was none. */
  after: number
  summary: object
  error: string
}

/**
 * Records jobs that failed before their run was opened, or before it could be closed, as ended runs. It needs
 * no lease, because the lease may have failed: the runs get the last holder's epoch.
 */
export async function recordFailedStarts(
  db: Transaction,
  { account, jobs, after, summary, error }: FailedStart,
): Promise<void> {
  const text = cleanJson(JSON.stringify({ ...summary, unopened: true }))
  await sql`
    insert into callsheet.runs
      (account, job, partial, epoch, state, started_at, finished_at, summary, error)
    select ${account}, job, partial,
      coalesce((select epoch from callsheet.leases where account = ${account}), 0),
      'failed', callsheet.clock(), callsheet.clock(), ${text}::jsonb, ${cleanText(error)}
    from unnest(${jobs.map(({ name }) => name)}::text[],
      ${jobs.map(({ partial = false }) => partial)}::boolean[]) as started (job, partial)
    where not exists (
      select from callsheet.runs r
      where r.account = ${account} and r.job = started.job and r.id > ${after} and r.state <> 'running')
  `.execute(db)
}

/** Returns the first run of the chain that a new run would resume; undefined if it would start one. */
export async function openChain(
  db: Transaction,
  { account, job }: { account: string; job: string },
): Promise<number | undefined> {
  const ended = db
    .selectFrom('callsheet.runs')
    .select(({ fn }) => fn.max('id').as('last'))
    .where('account', '=', account)
    .where('job', '=', job)
    .where('partial', '=', false)
    .where('state', 'in', ['complete', 'incomplete'])
  const { first } = await db
    .selectFrom('callsheet.runs')
    .select(({ fn }) => fn.min('id').as('first'))
    .where('account', '=', account)
    .where('job', '=', job)
    .where('partial', '=', false)
    .where('started_at', '>', ago('3 days'))
    .where('id', '>', ({ fn, lit }) => fn.coalesce(ended, lit(0)))
    .executeTakeFirstOrThrow()
  return first ?? undefined
}

/** A number that is unique among our advisory locks. */
const RUN_LOCK = 2_026_000_002

/** Returns the ID of an account's newest run; undefined before the first. */
export async function newestRun(db: Transaction, account: string): Promise<number | undefined> {
  const { run } = await db
    .selectFrom('callsheet.runs')
    .select(({ fn }) => fn.max('id').as('run'))
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  return run ?? undefined
}

/** Returns since when the ledgers of slices, runs and batches are complete; undefined if none was pruned. */
export async function ledgerKeptFromMs(db: Transaction): Promise<number | undefined> {
  const row = await db
    .selectFrom('callsheet.retention')
    .select('kept_from')
    .where('ledger', '=', 'slices')
    .executeTakeFirst()
  return row === undefined ? undefined : Date.parse(row.kept_from)
}
