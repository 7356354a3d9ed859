import type { Transaction } from '../../warehouse/connect.ts'

/** A break in the chain of heads as the database stores it. */
export interface BreakRow {
  after: number
  upto: number
  line: string
  signature: Buffer
  public_key: Buffer
}

export async function readBreaks(tx: Transaction, account: string): Promise<BreakRow[]> {
  return await tx
    .selectFrom('callsheet.head_breaks')
    .select(['after', 'upto', 'line', 'signature', 'public_key'])
    .where('account', '=', account)
    .orderBy('after')
    .orderBy('upto')
    .execute()
}

export async function insertBreak(tx: Transaction, account: string, row: BreakRow): Promise<void> {
  await tx
    .insertInto('callsheet.head_breaks')
    .values({ account, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
