import type { Transaction } from '../warehouse/connect.ts'

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
  await tx
    .insertInto('callsheet.entry_warrants')
    .values({ account, first_seq: first, last_seq: last, basis, signature })
    .execute()
}

/** The warrants that cover entries after a number. */
export async function warrantsAfter(
  tx: Transaction,
  account: string,
  after: number,
): Promise<WarrantRow[]> {
  return await tx
    .selectFrom('callsheet.entry_warrants')
    .select(['first_seq as first', 'last_seq as last', 'basis', 'signature'])
    .where('account', '=', account)
    .where('last_seq', '>', after)
    .orderBy('last_seq')
    .execute()
}
