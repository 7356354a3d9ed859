import type { Transaction } from '../../warehouse/connect.ts'

/** When the account was last told anything, whatever became of it; undefined if it never was. */
export async function lastNotification(
  db: Transaction,
  account: string,
): Promise<string | undefined> {
  const { last } = await db
    .selectFrom('callsheet.notifications')
    .select(({ fn }) => fn.max<string | null>('received_at').as('last'))
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  return last ?? undefined
}
