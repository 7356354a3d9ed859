import { sql } from 'kysely'
import type { Warehouse } from './connect.ts'
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
  { account, job, epoch }: { account: string; job: string; epoch: number },
): Promise<OpenRun> {
  return await warehouse.transaction(async (tx) => {
    await sql`update callsheet.runs set state = 'interrupted', finished_at = callsheet.clock(),
      error = 'the process ended without closing the run'
      where account = ${account} and job = ${job} and state = 'running'`.execute(tx)
    const { rows } = await sql<{ id: number; first: number }>`
      with chain as (
        select min(id) as first from callsheet.runs r
        where account = ${account} and job = ${job}
          and started_at > callsheet.clock() - interval '3 days'
          and id > coalesce((select max(id) from callsheet.runs
            where account = ${account} and job = ${job} and state in ('complete', 'incomplete')), 0))
      insert into callsheet.runs (account, job, epoch, state, started_at)
      values (${account}, ${job}, ${epoch}, 'running', callsheet.clock())
      returning id, coalesce((select first from chain), id) as first`.execute(tx)
    const row = rows[0] as { id: number; first: number }
    return { id: row.id, chainRunId: row.first }
  })
}

export async function closeRun(
  warehouse: Warehouse,
  runId: number,
  end: { state: RunState; planned: object; summary: object; error: string | undefined },
): Promise<void> {
  await sql`update callsheet.runs set state = ${end.state}, finished_at = callsheet.clock(),
    planned = ${JSON.stringify(end.planned)}::jsonb, summary = ${JSON.stringify(end.summary)}::jsonb,
    error = ${end.error ?? null} where id = ${runId}`.execute(warehouse.db)
}
