import { sql } from 'kysely'
import type { Job } from '../../core/declare/job.ts'
import type { Stream } from '../../core/declare/stream.ts'
import type { Warehouse } from '../../warehouse/connection/connect.ts'
import type { RunState } from '../../warehouse/connection/types.ts'
import { sliceHistories } from '../../warehouse/ledgers/coverage.ts'
import { countPresent } from '../../warehouse/load/count-present.ts'
import { parentRows } from '../../warehouse/load/parent-rows.ts'
import { listsOf } from '../job/absent-lists.ts'
import { mayCross } from '../job/month-windows.ts'
import { keptSlices, type PlanTime } from '../plan/plan-stream.ts'
import type { PlanDeps } from '../run/run-context.ts'

export interface StreamStatus {
  stream: string
  rows: number
  /**
   * By the latest reading of each slice that is kept up. Streams that are cut from another have none of their
   * own.
   */
  slices: number
  failed: number
  notAllowed: number
  /** Why the account may not read it, where that was the latest answer. */
  refusal: string | undefined
  /** When the slice was read whole whose last complete reading is the oldest; undefined before the first. */
  oldestReading: string | undefined
  newestReading: string | undefined
  /** Records that these readings could not use. */
  quarantined: number
  /** Records outside the ranges that these readings asked for. */
  outside: number
  /** Lists that are not there by the service's words, though it lists what they belong to; of so many. */
  absent: { lists: number; of: number }
}

export interface JobStatus {
  job: string
  lastRun: { id: number; partial: boolean; state: RunState; startedAt: string } | undefined
  /** Of the whole job. */
  lastComplete: { id: number; finishedAt: string } | undefined
  streams: StreamStatus[]
}

export interface AccountStatus {
  account: string
  jobs: JobStatus[]
  /** Falls past the share that nobody has released yet. */
  brakes: { stream: string; runId: number; missing: number; owned: number }[]
  /** Calls made today, which began at 00:00 UTC, by pool. */
  quota: { pool: string; spent: number }[]
  /** Labels that the service told to wait. */
  held: { label: string; until: string; reason: string }[]
  /** What persons allowed: by app, until when unless it is renewed, and why only another login helps. */
  logins: { kind: string; endsAt: string | null; needsReauth: string | null }[]
  /** Until when a process that syncs the account holds its lease. */
  syncingUntil: string | undefined
}

export interface StatusScope extends PlanTime, Pick<PlanDeps, 'found' | 'reportWindows'> {
  account: string
  jobs: readonly Job[]
}

/** How complete and how fresh an account's tables are, from the ledgers alone. */
export async function readStatus(warehouse: Warehouse, scope: StatusScope): Promise<AccountStatus> {
  const { account, jobs } = scope
  const coverage = await readCoverage(warehouse, scope)
  const runs = await readLatestRuns(warehouse, account)
  const statuses: JobStatus[] = []
  for (const job of jobs) {
    const streams: StreamStatus[] = []
    for (const stream of job.streams) {
      const rows = await countPresent(warehouse, { account, stream })
      const { withoutList, ...read } = coverage.get(stream.name) ?? NEVER_READ
      const absent = withoutList === 0 ? NONE_ABSENT : await readAbsent(warehouse, account, stream)
      streams.push({ ...read, stream: stream.name, rows, absent })
    }
    statuses.push({ job: job.name, ...runsOf(runs, job.name), streams })
  }
  return { account, jobs: statuses, ...(await readLedgers(warehouse, account)) }
}

/**
 * Windows that were cut anew, or lie behind the horizon by now, are never read again: of a stream of windows
 * only what a run would keep up counts.
 */
async function readKept(
  warehouse: Warehouse,
  { account, jobs, ...time }: StatusScope,
): Promise<{ streams: string[]; kept: string }> {
  const windowed = jobs
    .flatMap(({ streams }) => streams)
    .filter(({ sync }) => sync.kind === 'windows')
  const kept: { stream: string; slice: string }[] = []
  for (const stream of windowed) {
    const scope = { account, stream: stream.name, chainRunId: Number.MAX_SAFE_INTEGER }
    const histories = await sliceHistories(warehouse, scope)
    const crossMonths = mayCross(time, stream)
    const facts = { ...time, ...scope, crossMonths, histories, full: false }
    const names = keptSlices(stream, facts)
    kept.push(...names.map((slice) => ({ stream: stream.name, slice })))
  }
  return { streams: windowed.map(({ name }) => name), kept: JSON.stringify(kept) }
}

async function readCoverage(
  warehouse: Warehouse,
  scope: StatusScope,
): Promise<Map<string, Coverage>> {
  const { streams, kept } = await readKept(warehouse, scope)
  const { rows } = await sql<Coverage>`
    with attempts as (
      select stream, slice, state, run_id, finished_at, error, quarantined, outside, judged,
        row_number() over (partition by stream, slice order by finished_at desc, run_id desc) as back,
        max(finished_at) filter (where state = 'complete') over (partition by stream, slice) as read_at
      from callsheet.slices where account = ${scope.account}
        and (stream <> all(${streams}::text[]) or (stream, slice) in (
          select k.stream, k.slice
          from jsonb_to_recordset(${kept}::jsonb) as k(stream text, slice text))))
    select stream, count(*) as slices,
      count(*) filter (where callsheet.no_list(state, error) and not judged) as "withoutList",
      count(*) filter (where state = 'failed') as failed,
      count(*) filter (where state = 'not_allowed') as "notAllowed",
      case when max(run_id) filter (where state = 'not_allowed') >
        coalesce(max(run_id) filter (where state <> 'not_allowed'), 0)
        then max(error) filter (where state = 'not_allowed') end as refusal,
      min(read_at) as "oldestReading", max(read_at) as "newestReading",
      sum(quarantined)::bigint as quarantined, sum(outside)::bigint as outside
    from attempts where back = 1 group by stream`.execute(warehouse.db)
  return new Map(
    rows.map((row) => [
      row.stream,
      {
        ...row,
        refusal: row.refusal ?? undefined,
        oldestReading: row.oldestReading ?? undefined,
        newestReading: row.newestReading ?? undefined,
      },
    ]),
  )
}

type Coverage = Omit<StreamStatus, 'rows' | 'absent'> & { withoutList: number }

/** Of what is held of the parents now: what is gone since, or expired, has no lists any more. */
async function readAbsent(
  warehouse: Warehouse,
  account: string,
  stream: Stream,
): Promise<StreamStatus['absent']> {
  const { sync } = stream
  if (sync.kind !== 'fan-out') return NONE_ABSENT
  const scope = { account, stream: stream.name, chainRunId: Number.MAX_SAFE_INTEGER }
  const histories = await sliceHistories(warehouse, scope)
  const parents = await parentRows(warehouse, { account, stream, sync })
  const { absent, count } = listsOf(stream, parents, histories)
  return { lists: absent.size, of: count }
}

interface LatestRun {
  id: number
  job: string
  partial: boolean
  state: RunState
  started_at: string
  finished_at: string | null
}

/** Of each job the latest run, and the latest complete one of the whole job. */
async function readLatestRuns(warehouse: Warehouse, account: string): Promise<LatestRun[]> {
  const { rows } = await sql<LatestRun>`
    select id, job, partial, state, started_at, finished_at from callsheet.runs
    where id in (select max(id) from callsheet.runs where account = ${account} group by job
      union all select max(id) from callsheet.runs where account = ${account}
        and state = 'complete' and not partial group by job)
    order by id desc`.execute(warehouse.db)
  return rows
}

function runsOf(
  runs: readonly LatestRun[],
  job: string,
): Pick<JobStatus, 'lastRun' | 'lastComplete'> {
  const last = runs.find((run) => run.job === job)
  const complete = runs.find((run) => run.job === job && run.state === 'complete' && !run.partial)
  return {
    lastRun: last && {
      id: last.id,
      partial: last.partial,
      state: last.state,
      startedAt: last.started_at,
    },
    lastComplete: complete && {
      id: complete.id,
      finishedAt: complete.finished_at ?? complete.started_at,
    },
  }
}

async function readLedgers(
  warehouse: Warehouse,
  account: string,
): Promise<Omit<AccountStatus, 'account' | 'jobs'>> {
  const { db } = warehouse
  const brakes = await sql<AccountStatus['brakes'][number]>`
    select b.stream, b.run_id as "runId", b.missing, b.owned from callsheet.brakes b
    join callsheet.runs r on r.id = b.run_id
    where b.account = ${account} and b.released_at is null and not exists (
      select 1 from callsheet.runs later where later.account = ${account} and later.job = r.job
        and later.id > r.id and later.state = 'complete'
        and (not later.partial or later.summary->'tables'->b.stream is not null)
        and (later.summary->'notAllowed'->b.stream) is null)
    order by b.run_id desc, b.stream`.execute(db)
  const quota = await sql<{ pool: string; spent: number }>`
    select pool, spent from callsheet.quota where account = ${account}
      and day = (callsheet.clock() at time zone 'UTC')::date order by pool`.execute(db)
  const held = await sql<AccountStatus['held'][number]>`
    select label, not_before as until, coalesce(reason, 'rate') as reason from callsheet.labels
    where account = ${account} and not_before > callsheet.clock() order by label`.execute(db)
  const lease = await sql<{ expires_at: string }>`
    select expires_at from callsheet.leases where account = ${account} and holder is not null
      and expires_at > callsheet.wall()`.execute(db)
  const logins = await sql<AccountStatus['logins'][number]>`
    select kind, grant_ends_at as "endsAt", needs_reauth as "needsReauth" from callsheet.tokens
    where account = ${account} and (grant_ends_at is not null or needs_reauth is not null)
    order by kind`.execute(db)
  return {
    brakes: brakes.rows,
    quota: quota.rows,
    held: held.rows,
    logins: logins.rows,
    syncingUntil: lease.rows[0]?.expires_at,
  }
}

const NONE_ABSENT = { lists: 0, of: 0 }

const NEVER_READ = {
  withoutList: 0,
  slices: 0,
  failed: 0,
  notAllowed: 0,
  refusal: undefined,
  oldestReading: undefined,
  newestReading: undefined,
  quarantined: 0,
  outside: 0,
}
