import { sql } from 'kysely'
import type { LedgerTables } from '../../core/tables/ledger-tables.ts'
import type { Transaction } from '../../warehouse/connect.ts'

export interface SliceName {
  stream: string
  slice: string
}

/** Computes the states of these slices from all their ledger entries, and stores them. */
export async function remakeStates(
  tx: Transaction,
  account: string,
  names: readonly SliceName[],
): Promise<void> {
  if (names.length === 0) return
  const { streams, slices } = columnsOf(names)
  const told = sql<LedgerTables['callsheet.slice_states']>`callsheet.slice_states_of(
    ${account}, ${streams}::text[], ${slices}::text[])`
  const of = (table: string, column: string) => sql.ref(`${table}.${column}`)
  const isSame = sql`${of('excluded', 'complete_at')} is not distinct from ${of(OWN, 'complete_at')}`
  // `failures` and `refusals` count since the last checked read. Pruned entries must not lower them.
  const atLeast = (name: string) =>
    sql<number>`case when ${isSame} then greatest(${of('excluded', name)}, ${of(OWN, name)})
      else ${of('excluded', name)} end`
  await tx
    .insertInto(OWN)
    .columns(COLUMNS)
    .expression(({ selectFrom }) =>
      // Always in this order, or two transactions could deadlock.
      selectFrom(told.as('t')).select(COLUMNS).orderBy('stream').orderBy('slice'),
    )
    .onConflict((conflict) =>
      conflict.columns(['account', 'stream', 'slice']).doUpdateSet((eb) => ({
        ...Object.fromEntries(COLUMNS.map((name) => [name, eb.ref(`excluded.${name}`)])),
        failures: atLeast('failures'),
        refusals: atLeast('refusals'),
      })),
    )
    .execute()
}

/** Deletes the states of these slices, which then count as unread until their states are rebuilt. */
export async function forgetStates(
  tx: Transaction,
  account: string,
  names: readonly SliceName[],
): Promise<void> {
  const { streams, slices } = columnsOf(names)
  const own = sql<SliceName>`unnest(${streams}::text[], ${slices}::text[])`
  await tx
    .deleteFrom('callsheet.slice_states as s')
    .using(own.as<'n'>(sql`n(stream, slice)`))
    .where('s.account', '=', account)
    .whereRef('s.stream', '=', 'n.stream')
    .whereRef('s.slice', '=', 'n.slice')
    .execute()
}

function columnsOf(names: readonly SliceName[]): { streams: string[]; slices: string[] } {
  return { streams: names.map(({ stream }) => stream), slices: names.map(({ slice }) => slice) }
}

const OWN = 'callsheet.slice_states'

const COLUMNS = [
  ...(['account', 'stream', 'slice', 'run_id', 'state', 'finished_at', 'checked'] as const),
  ...(['quarantined', 'outside', 'error', 'read_at', 'listed_at', 'complete_run_id'] as const),
  ...(['complete_at', 'complete_requested_at', 'complete_pages', 'complete_received'] as const),
  ...(['complete_version', 'complete_final', 'counted', 'counted_after'] as const),
  ...(['counted_since', 'first_counted_at', 'failures', 'refusals', 'absent_run_ids'] as const),
  ...(['absent_at', 'absent_version', 'unchecked_run_id', 'most_pages'] as const),
] satisfies (keyof LedgerTables['callsheet.slice_states'])[]
