import { sql } from 'kysely'
import { BASELINE } from '../../core/records/statement.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { toldSubject } from './manifest.ts'

/** A transaction's changes to a stream's table that have no statement. */
export interface UnstatedRows {
  batch: string
  /** The table, e.g. `svc.users`. */
  place: string
  wrote: number
  took: number
}

/**
 * Returns the changes in order. Without a baseline, only those after the first change that has a statement.
 */
export async function unstatedRows(tx: Transaction, account: string): Promise<UnstatedRows[]> {
  const said = sql`exists (select from callsheet.manifest m where account = w.account
    and ${toldSubject} = 'ledger/rows/' || w.batch and kind = 'statement')`
  const { rows } = await sql<UnstatedRows>`
    select batch, place, sum(cardinality(wrote))::integer as wrote, sum(cardinality(took))::integer as took
    from callsheet.written w where account = ${account} and not ${said}
      and (exists (select from callsheet.manifest m where account = ${account}
          and ${toldSubject} = ${BASELINE} and kind = 'statement')
        or id > (select min(id) from callsheet.written w where account = ${account} and ${said}))
    group by batch, place order by min(id)`.execute(tx)
  return rows
}
