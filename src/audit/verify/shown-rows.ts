import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { current, firstKey } from '../../warehouse/schema/table-sql.ts'

/** A slice that was read to its end, by the newest reading of it. */
export interface ComparedSlice {
  slice: string
  runId: number
  /**
   * Why its rows cannot be compared: the reading was not `exact`, a person was `erased` after it, or a later
   * window `reached` into it. Null where they must still be as it left them.
   */
  barred: 'inexact' | 'erased' | 'reached' | null
  /** Its present rows. */
  rows: number
  /** Whether they are those that it showed. */
  same: boolean
  /** Whether something was written to them after it, by which they may differ by right. */
  later: boolean
}

/**
 * Compares the rows of a stream's slices with what the newest reading of each showed, where that was all that
 * the warehouse held of the slice. The others that were read to their end come too, and say what bars it.
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
    -- What one that was cut off wrote in place, of the same meaning, leaves the row's run as it was.
    unended as (
      select max(b.run_id) as run_id
      from callsheet.batches b join callsheet.runs u on u.id = b.run_id
      where b.account = ${account} and b.stream = ${stream.name}
        and u.state not in ('complete', 'incomplete')),
    erased as (
      select max(case when ended_at is null and started_at is not null then 'infinity'::timestamptz
        else ended_at end) as at
      from callsheet.erasure_requests where account = ${account}),
    judged as (
      select n.*, case when n.exact is not true then 'inexact'
        when n.finished_at <= (select at from erased) then 'erased'
        when ${stream.sync.kind === 'windows' ? REACHED : sql`false`} then 'reached' end as barred
      from newest n where n.state = 'complete')
    select n.slice, n.run_id as "runId", n.barred, h.rows, h.digest = n.digest as same,
      coalesce(h.run_id > n.run_id or n.run_id < (select run_id from unended), false) as later
    from judged n cross join lateral (
      select count(*) filter (where ${present}) as rows,
        coalesce(max(greatest(r._run_id, r._deleted_run_id)), 0) as run_id,
        sha256(coalesce(string_agg(r._hash, ''::bytea order by r._hash) filter (where ${present}),
          ''::bytea)) as digest
      from ${current(stream)} r
      where n.barred is null and r.account = ${account} and ${ownRows(stream)}) h
    order by n.slice`
  return cursorRows(tx, `slices of ${stream.name}`, query)
}

const REACHED = sql<boolean>`exists (select from newest o
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
