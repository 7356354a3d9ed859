import { sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'

/** Books a day's calls that another database knew of. What is booked already stays. */
export async function raiseSpent(
  tx: Transaction,
  { account, pool, day, spent }: { account: string; pool: string; day: string; spent: number },
): Promise<void> {
  await tx
    .insertInto('callsheet.quota')
    .values({ account, pool, day, spent })
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'pool', 'day'])
        .doUpdateSet({ spent: sql`greatest(callsheet.quota.spent, excluded.spent)` }),
    )
    .execute()
}
