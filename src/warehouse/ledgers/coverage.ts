import { sql } from 'kysely'
import { cleanText } from '../../core/records/map-record.ts'
import type { Window } from '../../core/time/spans.ts'
import type { Transaction, Warehouse } from '../connection/connect.ts'

/** One slice's entry in the ledger of coverage. */
export interface SliceEntry {
  stream: string
  slice: string
  state: 'complete' | 'failed' | 'not_allowed'
  owned: Window | undefined
  requestedAtMs: number
  pages: number
  received: number
  inserted: number
  updated: number
  unchanged: number
  ignored: number
  quarantined: number
  deleted: number
  /** Records outside the range that was asked for. */
  outside: number
  serviceTotal: number | undefined
  /** What the parent's version fields were. */
  version: string | undefined
  /** As long as the service shows at most. */
  possiblyTruncated: boolean
  /** A fan-out slice whose count repeated after a day: it need not be read again. */
  final: boolean
  /** Whether rows that the slice did not show were checked for deletion: only in a complete group. */
  checked: boolean
  error: string | undefined
}

/** What the ledger last said of a slice. */
export interface SliceHistory {
  completeAtMs: number | undefined
  completeRunId: number | undefined
  /** When its first page was asked for then: what changed later may not be in it. */
  requestedAtMs: number | undefined
  /** When the count that it last had was first read, without another one since. */
  countSinceMs: number | undefined
  pages: number
  received: number
  version: string | undefined
  final: boolean
  /** Failures since it was last complete. */
  failures: number
  /** How often it was not allowed since then. */
  refusals: number
  /** Read since, but with a group that was not whole. */
  unchecked: boolean
  /** The service said since then that there is no such list, so often, and last then and for that version. */
  absences: number
  absentAtMs: number | undefined
  absentVersion: string | undefined
  /** Read by a run that tripped the stream's deletion guard, and its deletions were not approved yet. */
  heldBack: boolean
}

/** One statement for all: a fan-out enters a slice for each of its parents. */
export async function recordSlices(
  tx: Transaction,
  run: { account: string; runId: number },
  entries: readonly SliceEntry[],
): Promise<void> {
  if (entries.length === 0) return
  // A retry after a commit whose answer was lost must not enter a slice a second time.
  await sql`insert into callsheet.slices (account, stream, slice, run_id, state, owned_from, owned_to,
      requested_at, finished_at, pages, received, inserted, updated, unchanged, ignored, quarantined,
      deleted, outside, service_total, version, possibly_truncated, final, checked, error)
    select ${run.account}, e.stream, e.slice, ${run.runId}, e.state, e.owned_from, e.owned_to,
      e.requested_at, callsheet.clock(), e.pages, e.received, e.inserted, e.updated, e.unchanged,
      e.ignored, e.quarantined, e.deleted, e.outside, e.service_total, e.version,
      e.possibly_truncated, e.final, e.checked, e.error
    from jsonb_to_recordset(${JSON.stringify(entries.map(asColumns))}::jsonb) as e(
      stream text, slice text, state text, owned_from timestamptz, owned_to timestamptz,
      requested_at timestamptz, pages int, received bigint, inserted bigint, updated bigint,
      unchanged bigint, ignored bigint, quarantined bigint, deleted bigint, outside bigint,
      service_total bigint,
      version text, possibly_truncated boolean, final boolean, checked boolean, error text)
    where not exists (select 1 from callsheet.slices s where s.account = ${run.account}
      and s.stream = e.stream and s.slice = e.slice and s.run_id = ${run.runId})`.execute(tx)
}

function asColumns({ owned, requestedAtMs, serviceTotal, error, slice, ...entry }: SliceEntry) {
  const { version, possiblyTruncated, ...same } = entry
  return {
    ...same,
    version: version ?? null,
    possibly_truncated: possiblyTruncated,
    slice: cleanText(slice),
    owned_from: iso(owned?.fromMs),
    owned_to: iso(owned?.toMs),
    requested_at: iso(requestedAtMs),
    service_total: serviceTotal ?? null,
    error: error === undefined ? null : cleanText(error),
  }
}

/** The ledger's last word on each slice of a stream, for the runs of a chain. */
export async function sliceHistories(
  warehouse: Warehouse,
  { account, stream, chainRunId }: { account: string; stream: string; chainRunId: number },
): Promise<Map<string, SliceHistory>> {
  const absent = sql`callsheet.no_list(s.state, s.error) and not s.checked
    and (l.finished_at is null or s.finished_at > l.finished_at)`
  const { rows } = await sql<Row>`
    with own as (
      select * from callsheet.slices where account = ${account} and stream = ${stream}),
    latest as (
      select distinct on (slice) slice, run_id, requested_at, finished_at, pages, received,
        version, final from own
      where state = 'complete' and checked order by slice, finished_at desc, run_id desc),
    otherwise as (
      select o.slice, max(o.finished_at) as until from own o join latest l using (slice)
      where o.state = 'complete' and o.received <> l.received group by o.slice),
    held as (
      select run_id from callsheet.deletion_guards where account = ${account} and stream = ${stream}
        and (used_by_run_id is null or used_by_run_id >= ${chainRunId}))
    select s.slice, l.requested_at, l.finished_at, l.run_id,
      min(s.finished_at) filter (where s.state = 'complete' and s.pages > 0
        and s.finished_at > coalesce(o.until, '-infinity')) as count_since,
      coalesce(l.pages, max(s.pages)) as pages, coalesce(l.received, 0) as received,
      l.version,
      coalesce(l.final, false) as final,
      count(*) filter (where s.state = 'failed'
        and (l.finished_at is null or s.finished_at > l.finished_at))::int as failures,
      count(*) filter (where s.state = 'not_allowed'
        and (l.finished_at is null or s.finished_at > l.finished_at))::int as refusals,
      bool_or(not s.checked and s.run_id > coalesce(l.run_id, 0)) as unchecked,
      count(*) filter (where ${absent})::int as absences,
      max(s.finished_at) filter (where ${absent}) as absent_at,
      (array_agg(s.version order by s.finished_at desc) filter (where ${absent}))[1]
        as absent_version,
      coalesce(l.run_id in (select run_id from held), false)
        or coalesce(bool_or(s.run_id in (select run_id from held)) filter (where ${absent}), false)
        as held_back
    from own s left join latest l using (slice) left join otherwise o using (slice)
    group by s.slice, l.run_id, l.requested_at, l.finished_at, l.pages, l.received, l.version,
      l.final`.execute(warehouse.db)
  return new Map(rows.map((row) => [row.slice, historyOf(row)]))
}

interface Row {
  slice: string
  requested_at: string | null
  finished_at: string | null
  run_id: number | null
  count_since: string | null
  pages: number
  received: number
  version: string | null
  final: boolean
  failures: number
  refusals: number
  unchecked: boolean
  absences: number
  absent_at: string | null
  absent_version: string | null
  held_back: boolean
}

function historyOf(row: Row): SliceHistory {
  const { pages, received, final, failures, refusals, unchecked, absences } = row
  return {
    completeAtMs: epochOf(row.finished_at),
    completeRunId: row.run_id ?? undefined,
    requestedAtMs: epochOf(row.requested_at),
    countSinceMs: epochOf(row.count_since),
    pages,
    received,
    version: row.version ?? undefined,
    final,
    failures,
    refusals,
    unchecked,
    absences,
    absentAtMs: epochOf(row.absent_at),
    absentVersion: row.absent_version ?? undefined,
    heldBack: row.held_back,
  }
}

function epochOf(at: string | null): number | undefined {
  return at === null ? undefined : Date.parse(at)
}

function iso(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString()
}
