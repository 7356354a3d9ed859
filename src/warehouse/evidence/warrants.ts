import { sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'

export interface WarrantRow {
  first: number
  last: number
  basis: string
  signature: Buffer
}

export async function insertWarrant(
  tx: Transaction,
  account: string,
  { first, last, basis, signature }: WarrantRow,
): Promise<void> {
  await sql`insert into callsheet.entry_warrants (account, first_seq, last_seq, basis, signature)
    values (${account}, ${first}, ${last}, ${basis}, ${signature})`.execute(tx)
}

/** Those of entries after one. */
export async function warrantsAfter(
  tx: Transaction,
  account: string,
  after: number,
): Promise<WarrantRow[]> {
  const { rows } = await sql<WarrantRow>`
    select first_seq as first, last_seq as last, basis, signature from callsheet.entry_warrants
    where account = ${account} and last_seq > ${after} order by last_seq`.execute(tx)
  return rows
}
