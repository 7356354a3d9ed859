import { sql } from 'kysely'
import { cleanJson, cleanText } from '../core/cut-row.ts'
import type { Transaction, Warehouse } from './connect.ts'
import type { Lease } from './lease.ts'
import type { RunState } from './types.ts'

export interface OpenRun {
  id: number
  /** The first run of the chain of unfinished runs that this run goes on with; itself if it begins one. */
  chainRunId: number
}

/**
 * Opens a run record. Runs of the job that a killed process left open are closed as interrupted. After a
 * run that did not get to its end (stopped, killed, or out of quota) the new one goes on with what is
 * missing: slices that the chain of such runs has read are not read again. A chain ends after three days,
 * or with a run that tried every slice.
 */
export async function openRun(
  warehouse: Warehouse,
  { account, job, lease }: { account: string; job: string; lease: Lease },
): Promise<OpenRun> {
  return await warehouse.transaction(async (tx) => {
    await lease.check(tx)
    await sql`update callsheet.runs set state = 'interrupted', finished_at = callsheet.clock(),
      error = 'the process ended without closing the run'
      where account = ${account} and job = ${job} and state = 'running'`.execute(tx)
    const first = await openChain(tx, { account, job })
    const { rows } = await sql<{ id: number }>`
      insert into callsheet.runs (account, job, epoch, state, started_at)
      values (${account}, ${job}, ${lease.epoch}, 'running', callsheet.clock()) returning id`.execute(
      tx,
    )
    const { id } = rows[0] as { id: number }
    return { id, chainRunId: first ?? id }
  })
}

export async function closeRun(
  warehouse: Warehouse,
  runId: number,
  end: { state: RunState; planned: object; summary: object; error: string | undefined },
): Promise<void> {
  await sql`update callsheet.runs set state = ${end.state}, finished_at = callsheet.clock(),
    planned = ${JSON.stringify(end.planned)}::jsonb,
    summary = ${cleanJson(JSON.stringify(end.summary))}::jsonb,
    error = ${end.error === undefined ? null : cleanText(end.error)} where id = ${runId}`.execute(
    warehouse.db,
  )
}

/**
 * The first run of the chain that a run would go on with if it began now; undefined when it would begin
 * one.
 */
export async function openChain(
  db: Transaction,
  { account, job }: { account: string; job: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ first: number | null }>`
    select min(id) as first from callsheet.runs
    where account = ${account} and job = ${job} and started_at > callsheet.clock() - interval '3 days'
      and id > coalesce((select max(id) from callsheet.runs where account = ${account}
        and job = ${job} and state in ('complete', 'incomplete')), 0)`.execute(db)
  return rows[0]?.first ?? undefined
}
