import { sql } from 'kysely'
import type { Job } from '../../core/define/job.ts'
import type { Stream } from '../../core/define/stream.ts'
import { readLists } from '../../sync/absent-lists.ts'
import { sliceHistories } from '../../sync/ledger/slice-histories.ts'
import { keptSlices } from '../../sync/plan/kept-slices.ts'
import type { PlanTime } from '../../sync/plan/plan-stream.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { partKept, partsInForce } from '../../warehouse/keep-out/row-parts.ts'
import { countPresent } from '../../warehouse/load/count-rows.ts'
import { type JobRuns, NEVER_RUN, readJobRuns } from '../ledger/job-runs.ts'
import { type LedgerStatus, readLedgers } from './read-ledgers.ts'

export interface StreamStatus {
  stream: string
  rows: number
  /** Current slices; nested streams have none. */
  slices: number
  /** Slices whose latest read failed. */
  failed: number
  /** Slices whose latest read was denied. */
  notAllowed: number
  /** Why the account may not read the stream, if the latest response was a refusal. */
  refusal: string | undefined
  /** The oldest of the slices' last complete reads; undefined before the first. */
  oldestReading: string | undefined
  newestReading: string | undefined
  /** The number of quarantined records in the slices' latest reads. */
  quarantined: number
  /** Records in the latest reads that are outside the requested ranges or the part that the account keeps. */
  outside: number
  /** The part of the stream that its table has, in words; undefined if the table has all records. */
  part: string | undefined
  /** Lists that the service reports as not found although their parents exist, out of all lists. */
  absent: { lists: number; of: number }
  /** Lists that the account could read before and may no longer read, out of all lists. */
  taken: { lists: number; of: number }
}

export interface JobStatus extends JobRuns {
  job: string
  streams: StreamStatus[]
}

export interface AccountStatus extends LedgerStatus {
  account: string
  jobs: JobStatus[]
}

export interface StatusScope extends PlanTime {
  account: string
  jobs: readonly Job[]
}

/** Returns from the ledgers how complete and fresh an account's tables are. */
export async function readStatus(warehouse: Warehouse, scope: StatusScope): Promise<AccountStatus> {
  const { account, jobs } = scope
  const runs = await readJobRuns(warehouse, scope)
  const statuses: JobStatus[] = []
  for (const job of jobs) {
    const streams = await readStreams(warehouse, { ...scope, jobs: [job] })
    statuses.push({ job: job.name, ...(runs.get(job.name) ?? NEVER_RUN), streams })
  }
  return { account, jobs: statuses, ...(await readLedgers(warehouse.db, account)) }
}

/** Returns how complete and fresh the tables of these jobs are. */
export async function readStreams(
  warehouse: Warehouse,
  scope: StatusScope,
): Promise<StreamStatus[]> {
  const { account, jobs } = scope
  const coverage = await readCoverage(warehouse, scope)
  const parts = await partsInForce(warehouse.db, account)
  const streams: StreamStatus[] = []
  for (const stream of jobs.flatMap((job) => job.streams)) {
    const rows = await countPresent(warehouse, { account, stream })
    const { withoutList, ...read } = coverage.get(stream.name) ?? NEVER_READ
    const without = withoutList === 0 ? NONE_WITHOUT : await readWithout(warehouse, account, stream)
    const part = partKept(parts, stream, scope.nowMs)?.text
    streams.push({ ...read, stream: stream.name, rows, part, ...without })
  }
  return streams
}

/** Returns a function that checks whether runs keep a slice up to date; true for streams without windows. */
export async function keptWindows(
  warehouse: Warehouse,
  scope: StatusScope,
): Promise<(stream: string, slice: string) => boolean> {
  const { streams, kept } = await readKept(warehouse, scope)
  const names = new Set(kept.map(({ stream, slice }) => JSON.stringify([stream, slice])))
  return (stream, slice) => !streams.includes(stream) || names.has(JSON.stringify([stream, slice]))
}

/**
 * Returns the windows that runs keep up to date. Omits windows that were split or are past the history limit.
 */
async function readKept(
  warehouse: Warehouse,
  { account, jobs, ...time }: StatusScope,
): Promise<{ streams: string[]; kept: { stream: string; slice: string }[] }> {
  const windowed = jobs
    .flatMap(({ streams }) => streams)
    .filter(({ sync }) => sync.kind === 'windows')
  const kept: { stream: string; slice: string }[] = []
  for (const stream of windowed) {
    const scope = { account, stream: stream.name, chainRunId: Number.MAX_SAFE_INTEGER }
    const histories = await sliceHistories(warehouse, scope)
    const facts = { ...time, ...scope, histories, full: false }
    const names = keptSlices(stream, facts)
    kept.push(...names.map((slice) => ({ stream: stream.name, slice })))
  }
  return { streams: windowed.map(({ name }) => name), kept }
}

async function readCoverage(
  warehouse: Warehouse,
  scope: StatusScope,
): Promise<Map<string, Coverage>> {
  const { streams, kept: names } = await readKept(warehouse, scope)
  const kept = JSON.stringify(names)
  const counts = sql<boolean>`(stream <> all(${[...streams]}::text[]) or (stream, slice) in (
    select k.stream, k.slice from jsonb_to_recordset(${kept}::jsonb) as k(stream text, slice text)))`
  const rows = await warehouse.db
    .selectFrom('callsheet.slice_states')
    .select(({ cast, eb, fn, lit }) => {
      const count = fn.countAll<number>()
      const newest = fn.max<number | null>('run_id')
      const refused = newest.filterWhere('state', '=', 'not_allowed')
      const otherwise = newest.filterWhere('state', '<>', 'not_allowed')
      return [
        'stream',
        count.as('slices'),
        count.filterWhere(hasNoList).as('withoutList'),
        count.filterWhere('state', '=', 'failed').as('failed'),
        count.filterWhere('state', '=', 'not_allowed').as('notAllowed'),
        eb
          .case()
          .when(refused, '>', fn.coalesce(otherwise, lit(0)))
          .then(fn.max('error').filterWhere('state', '=', 'not_allowed'))
          .end()
          .as('refusal'),
        fn.min('read_at').as('oldestReading'),
        fn.max('read_at').as('newestReading'),
        cast<number>(fn.sum('quarantined'), 'bigint').as('quarantined'),
        cast<number>(fn.sum('outside'), 'bigint').as('outside'),
      ]
    })
    .where('account', '=', scope.account)
    .where(counts)
    .groupBy('stream')
    .execute()
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

type Coverage = Omit<StreamStatus, 'rows' | 'part' | 'absent' | 'taken'> & { withoutList: number }

/** Counts only parents that still exist; deleted or expired ones have no lists. */
async function readWithout(
  warehouse: Warehouse,
  account: string,
  stream: Stream,
): Promise<Pick<StreamStatus, 'absent' | 'taken'>> {
  const { sync } = stream
  if (sync.kind !== 'fan-out') return NONE_WITHOUT
  const scope = { account, stream, sync, chainRunId: Number.MAX_SAFE_INTEGER }
  const { absent, taken, count: of } = await readLists(warehouse, scope)
  return { absent: { lists: absent.size, of }, taken: { lists: taken.size, of } }
}

const hasNoList = sql<boolean>`callsheet.no_list(state, error)`
const NONE_WITHOUT = { absent: { lists: 0, of: 0 }, taken: { lists: 0, of: 0 } }

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
