import type { Transaction } from '../connection/connect.ts'

/** The number of an account's newest run; undefined before the first. */
export async function newestRun(db: Transaction, account: string): Promise<number | undefined> {
  const { run } = await db
    .selectFrom('callsheet.runs')
    .select(({ fn }) => fn.max('id').as('run'))
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  return run ?? undefined
}
