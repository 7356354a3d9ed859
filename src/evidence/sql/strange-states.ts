import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'

/**
 * Up to ten slices whose stored state differs from the state computed from the ledger. The stored counts of
 * failures and refusals may be higher, because pruning removes old attempts from the ledger.
 */
export async function strangeStates(
  tx: Transaction,
  account: string,
): Promise<{ stream: string; slice: string }[]> {
  const columns = sql.join(COMPARED.map((name) => sql.id(name)))
  const { rows } = await sql<{ stream: string; slice: string }>`
    with names as (
      select array_agg(stream) as streams, array_agg(slice) as slices from (
        select stream, slice from callsheet.slices where account = ${account}
        union select stream, slice from callsheet.slice_states where account = ${account}) n),
    told as materialized (
      select t.* from names n
      cross join lateral callsheet.slice_states_of(${account}, n.streams, n.slices) t),
    found as (select * from callsheet.slice_states where account = ${account})
    select stream, slice from (
      (select ${columns} from told except select ${columns} from found)
      union all (select ${columns} from found except select ${columns} from told)) d
    union
    select t.stream, t.slice from told t join found f on f.stream = t.stream and f.slice = t.slice
      where f.failures < t.failures or f.refusals < t.refusals
    order by stream, slice limit 10`.execute(tx)
  return rows
}

/** All compared columns of `slice_states`; the counts of failures and refusals are compared separately. */
const COMPARED = [
  ...(['stream', 'slice', 'run_id', 'state', 'finished_at', 'checked', 'quarantined'] as const),
  ...(['outside', 'error', 'read_at', 'listed_at', 'complete_run_id', 'complete_at'] as const),
  ...(['complete_requested_at', 'complete_pages', 'complete_received'] as const),
  ...(['complete_version', 'complete_final', 'counted', 'counted_after'] as const),
  ...(['counted_since', 'first_counted_at', 'absent_run_ids', 'absent_at'] as const),
  ...(['absent_version', 'unchecked_run_id', 'most_pages'] as const),
]
