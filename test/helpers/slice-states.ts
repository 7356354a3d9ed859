import { sql } from 'kysely'
import type { Transaction } from '../../src/warehouse/connect.ts'

/** Computes all states from the ledger. */
const BY_LEDGER = `
  select s.* from (
    select account, array_agg(stream) as streams, array_agg(slice) as slices
    from (select distinct account, stream, slice from callsheet.slices) n group by account) a
  cross join lateral callsheet.slice_states_of(a.account, a.streams, a.slices) s`

/** The states that differ from the ledger's or that one of the two lacks. */
export const STRAY_STATES = `with told as (${BY_LEDGER})
  (table told except table callsheet.slice_states) union all
  (table callsheet.slice_states except table told)`

export async function strayStates(db: Transaction): Promise<unknown[]> {
  return (await sql.raw(STRAY_STATES).execute(db)).rows
}

/** Rebuilds all states, after a test has written to the ledger. */
export async function remakeAllStates(db: Transaction): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local enable_nestloop = off`.execute(tx)
    await sql`truncate callsheet.slice_states`.execute(tx)
    await sql`insert into callsheet.slice_states ${sql.raw(BY_LEDGER)}`.execute(tx)
  })
}
