import { sql } from 'kysely'
import type { Window } from '../core/stream.ts'
import type { Transaction, Warehouse } from './connect.ts'

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
  gone: number
  serviceTotal: number | undefined
  /** A fan-out slice whose count repeated after a day: it need not be read again. */
  settled: boolean
  error: string | undefined
}

/** What the ledger last said of a slice. */
export interface SliceHistory {
  completeAtMs: number | undefined
  completeRunId: number | undefined
  /** When the count that it last had was first read. */
  countSinceMs: number | undefined
  pages: number
  received: number
  settled: boolean
  /** Failures since it was last complete. */
  failures: number
}

export async function recordSlices(
  tx: Transaction,
  run: { account: string; runId: number },
  entries: readonly SliceEntry[],
): Promise<void> {
  for (const entry of entries) {
    await sql`insert into callsheet.slices (account, stream, slice, run_id, state, owned_from, owned_to,
      requested_at,
        finished_at, pages, received, inserted, updated, unchanged, ignored, quarantined, gone,
          service_total, settled,
        error)
      values (${run.account}, ${entry.stream}, ${entry.slice}, ${run.runId}, ${entry.state},
        ${iso(entry.owned?.fromMs)}, ${iso(entry.owned?.toMs)}, ${iso(entry.requestedAtMs)},
          callsheet.clock(),
        ${entry.pages}, ${entry.received}, ${entry.inserted}, ${entry.updated}, ${entry.unchanged},
          ${entry.ignored},
        ${entry.quarantined}, ${entry.gone}, ${entry.serviceTotal ?? null}, ${entry.settled},
        ${entry.error ?? null})`.execute(tx)
  }
}

/** The ledger's last word on each slice of a stream. */
export async function sliceHistories(
  warehouse: Warehouse,
  { account, stream }: { account: string; stream: string },
): Promise<Map<string, SliceHistory>> {
  const { rows } = await sql<Row>`
    with latest as (
      select distinct on (slice) slice, run_id, finished_at, pages, received, settled from callsheet.slices
      where account = ${account} and stream = ${stream} and state = 'complete'
      order by slice, finished_at desc, run_id desc)
    select s.slice, l.finished_at, l.run_id,
      min(s.finished_at) filter (where s.state = 'complete' and s.received = l.received) as count_since,
      coalesce(l.pages, max(s.pages)) as pages, coalesce(l.received, 0) as received,
      coalesce(l.settled, false) as settled,
      count(*) filter (where s.state = 'failed' and
        (l.finished_at is null or s.finished_at > l.finished_at))::int
        as failures
    from callsheet.slices s left join latest l using (slice)
    where s.account = ${account} and s.stream = ${stream}
    group by s.slice, l.run_id, l.finished_at, l.pages, l.received, l.settled`.execute(warehouse.db)
  return new Map(rows.map((row) => [row.slice, historyOf(row)]))
}

interface Row {
  slice: string
  finished_at: string | null
  run_id: number | null
  count_since: string | null
  pages: number
  received: number
  settled: boolean
  failures: number
}

function historyOf(row: Row): SliceHistory {
  const { pages, received, settled, failures } = row
  return {
    completeAtMs: row.finished_at === null ? undefined : Date.parse(row.finished_at),
    completeRunId: row.run_id ?? undefined,
    countSinceMs: row.count_since === null ? undefined : Date.parse(row.count_since),
    pages,
    received,
    settled,
    failures,
  }
}

function iso(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString()
}
