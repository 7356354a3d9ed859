import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'
import { current, firstKey } from '../connection/table-sql.ts'

/** A slice whose rows must still be as its newest reading left them. */
export interface ComparedSlice {
  slice: string
  runId: number
  /** Its present rows. */
  rows: number
  /** Whether they are those that it showed. */
  same: boolean
  /** Whether something was written to them after it, by which they may differ by right. */
  later: boolean
}

/**
 * Compares the rows of a stream's slices with what the newest reading of each showed, where that was all that
 * the warehouse held of the slice. Left out is what was read before somebody was erased, and a window into
 * which another one reaches that was read later.
 */
export function comparedSlices(
  tx: Transaction,
  { account, stream }: { account: string; stream: Stream },
): AsyncGenerator<ComparedSlice> {
  const present = sql`r._deleted_at is null`
  const query = sql<ComparedSlice>`
    with newest as materialized (
      select distinct on (s.slice) s.slice, s.run_id, s.finished_at, s.owned_from, s.owned_to, s.state,
        s.digest, s.exact
      from callsheet.slices s where s.account = ${account} and s.stream = ${stream.name}
      order by s.slice, s.finished_at desc, s.run_id desc),
    erased as (
      select max(case when ended_at is null and started_at is not null then 'infinity'::timestamptz
        else ended_at end) as at
      from callsheet.erasure_requests where account = ${account})
    select n.slice, n.run_id as "runId", h.rows, h.digest = n.digest as same, h.run_id > n.run_id as later
    from newest n cross join lateral (
      select count(*) filter (where ${present}) as rows, coalesce(max(r._run_id), 0) as run_id,
        sha256(coalesce(string_agg(r._hash, ''::bytea order by r._hash) filter (where ${present}),
          ''::bytea)) as digest
      from ${current(stream)} r where r.account = ${account} and ${ownRows(stream)}) h
    where n.state = 'complete' and n.exact
      and n.finished_at > coalesce((select at from erased), '-infinity'::timestamptz)
      and ${stream.sync.kind === 'windows' ? UNTOUCHED : sql`true`}
    order by n.slice`
  return cursorRows(tx, `slices of ${stream.name}`, query)
}

const UNTOUCHED = sql<boolean>`not exists (select from newest o
  where o.slice <> n.slice and o.finished_at > n.finished_at
    and o.owned_from < n.owned_to and o.owned_to > n.owned_from)`

/** The rows `r` of the slice `n`: those of its parent, of its window, or all. */
function ownRows(stream: Stream): RawBuilder<boolean> {
  const { sync } = stream
  if (sync.kind === 'fan-out') {
    const before = sync.request(['']).slice.length
    return sql<boolean>`${firstKey(stream, 'r')} = substr(n.slice, ${before + 1}::integer)`
  }
  if (sync.kind !== 'windows') return sql<boolean>`true`
  const column = sql.id('r', sync.cursor)
  return sql<boolean>`${column} >= n.owned_from and ${column} < n.owned_to`
}
