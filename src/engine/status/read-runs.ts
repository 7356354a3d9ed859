import { sql } from 'kysely'
import type { Warehouse } from '../../warehouse/connection/connect.ts'
import type { RunState, SliceState } from '../../warehouse/connection/types.ts'
import type { RunResult } from '../run/run-result.ts'

export type RunSummary = Partial<
  Pick<RunResult, 'tables' | 'slices' | 'problems' | 'braked' | 'notAllowed'>
>

export interface RunRecord {
  id: number
  account: string
  job: string
  /** It read a part of the job alone. */
  partial: boolean
  state: RunState
  startedAt: string
  finishedAt: string | undefined
  summary: RunSummary
  error: string | undefined
}

export interface SliceRecord {
  stream: string
  slice: string
  state: SliceState
  pages: number
  received: number
  inserted: number
  updated: number
  unchanged: number
  gone: number
  serviceTotal: number | undefined
  error: string | undefined
}

/** The latest runs, newest first. */
export async function readRuns(
  warehouse: Warehouse,
  { account, limit }: { account: string | undefined; limit: number },
): Promise<RunRecord[]> {
  const { rows } = await sql<Row>`select * from callsheet.runs
    where ${account ?? null}::text is null or account = ${account ?? null}
    order by id desc limit ${limit}`.execute(warehouse.db)
  return rows.map(recordOf)
}

/** One run and the slices that it read, the failed ones first; undefined if there is no such run. */
export async function readRun(
  warehouse: Warehouse,
  id: number,
): Promise<{ run: RunRecord; slices: SliceRecord[]; sliceCount: number } | undefined> {
  const found = await sql<Row>`select * from callsheet.runs where id = ${id}`.execute(warehouse.db)
  const [row] = found.rows
  if (row === undefined) return undefined
  const { rows } = await sql<SliceRow>`
    select stream, slice, state, pages, received, inserted, updated, unchanged, gone, error,
      service_total as "serviceTotal", count(*) over () as of
    from callsheet.slices where account = ${row.account} and run_id = ${id}
    order by state = 'complete', stream, slice limit ${MOST_SLICES}`.execute(warehouse.db)
  return {
    run: recordOf(row),
    slices: rows.map(({ of: _of, ...slice }) => ({
      ...slice,
      serviceTotal: slice.serviceTotal ?? undefined,
      error: slice.error ?? undefined,
    })),
    sliceCount: rows[0]?.of ?? 0,
  }
}

/** When a job last began for an account, all of it, however it ended. */
export async function lastStartedMs(
  warehouse: Warehouse,
  { account, job }: { account: string; job: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ started_at: string | null }>`
    select max(started_at) as started_at from callsheet.runs
    where account = ${account} and job = ${job} and not partial`.execute(warehouse.db)
  const at = rows[0]?.started_at
  return at === null || at === undefined ? undefined : Date.parse(at)
}

interface Row {
  id: number
  account: string
  job: string
  partial: boolean
  state: RunState
  started_at: string
  finished_at: string | null
  summary: RunSummary
  error: string | null
}

type SliceRow = Omit<SliceRecord, 'serviceTotal' | 'error'> & {
  serviceTotal: number | null
  error: string | null
  of: number
}

function recordOf(row: Row): RunRecord {
  const { id, account, job, partial, state, summary } = row
  return {
    id,
    account,
    job,
    partial,
    state,
    startedAt: row.started_at,
    finishedAt: row.finished_at ?? undefined,
    summary,
    error: row.error ?? undefined,
  }
}

const MOST_SLICES = 200
