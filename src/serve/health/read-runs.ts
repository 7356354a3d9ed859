import type { Selectable } from 'kysely'
import type { RunResult } from '../../sync/run/run-types.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { ledgerKeptFromMs } from '../../warehouse/ledger/runs.ts'
import type { Database, RunState, SliceState } from '../../warehouse/schema/types.ts'

export type RunSummary = Partial<
  Pick<
    RunResult,
    'tables' | 'slices' | 'problems' | 'failure' | 'trippedGuards' | 'notAllowed' | 'range'
  > & { /** Of a verification. */ findings: number }
>

export interface RunRecord {
  id: number
  account: string
  job: string
  /** Whether the run read only a part of the job. */
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
  deleted: number
  serviceTotal: number | undefined
  error: string | undefined
}

export interface AskedRuns {
  /** Undefined returns runs of all accounts, even of accounts that are no longer configured. */
  accounts: readonly string[] | undefined
  /** Only runs before this run, by their start and then their ID. */
  before?: Pick<RunRecord, 'startedAt' | 'id'> | undefined
  limit: number
}

/** Returns the latest runs, or the latest before the run `before`; newest first. */
export async function readRuns(
  { db }: Warehouse,
  { accounts, before, limit }: AskedRuns,
): Promise<RunRecord[]> {
  const rows = await db
    .selectFrom('callsheet.runs')
    .selectAll()
    .where(({ eb, lit }) => (accounts ? eb('account', 'in', [...accounts]) : lit(true)))
    .$if(before !== undefined, (runs) =>
      runs.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('started_at', 'id'), '<', tuple(before?.startedAt ?? '', before?.id ?? 0)),
      ),
    )
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(recordOf)
}

export interface FoundRun {
  run: RunRecord
  slices: SliceRecord[]
  sliceCount: number
  /** Set if the run is older than the ledger's retention: the start of the stored slices and details. */
  keptFrom: string | undefined
}

/** Returns a run and up to `MOST_SLICES` of its slices, complete ones last; undefined without such a run. */
export async function readRun(
  warehouse: Warehouse,
  { account, id }: { account: string; id: number },
): Promise<FoundRun | undefined> {
  const row = await warehouse.db
    .selectFrom('callsheet.runs')
    .selectAll()
    .where('account', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const rows = await warehouse.db
    .selectFrom('callsheet.slices')
    .select(['stream', 'slice', 'state', 'pages', 'received', 'inserted', 'updated', 'unchanged'])
    .select(['deleted', 'error', 'service_total as serviceTotal'])
    .select(({ fn }) => fn.countAll<number>().over().as('of'))
    .where('account', '=', account)
    .where('run_id', '=', id)
    .orderBy(({ eb }) => eb('state', '=', 'complete'))
    .orderBy('stream')
    .orderBy('slice')
    .limit(MOST_SLICES)
    .execute()
  return {
    run: recordOf(row),
    slices: rows.map(({ of: _of, ...slice }) => ({
      ...slice,
      serviceTotal: slice.serviceTotal ?? undefined,
      error: slice.error ?? undefined,
    })),
    sliceCount: rows[0]?.of ?? 0,
    keptFrom: await keptAfter(warehouse, row.started_at),
  }
}

/** Returns the accounts that have a run with this ID. A moved account keeps the IDs of its runs. */
export async function accountsOfRun({ db }: Pick<Warehouse, 'db'>, id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('callsheet.runs')
    .select('account')
    .where('id', '=', id)
    .orderBy('account')
    .execute()
  return rows.map(({ account }) => account)
}

async function keptAfter({ db }: Warehouse, started: string): Promise<string | undefined> {
  const keptFromMs = await ledgerKeptFromMs(db)
  if (keptFromMs === undefined || Date.parse(started) >= keptFromMs) return undefined
  return new Date(keptFromMs).toISOString()
}

function recordOf(row: Selectable<Database['callsheet.runs']>): RunRecord {
  const { id, account, job, partial, state } = row
  return {
    id,
    account,
    job,
    partial,
    state,
    startedAt: row.started_at,
    finishedAt: row.finished_at ?? undefined,
    summary: row.summary as RunSummary,
    error: row.error ?? undefined,
  }
}

const MOST_SLICES = 200
