import type { Transaction } from '../connect.ts'

/** Returns the settings of a kind such as `rows of `, under which an account's rows are stored, by stream. */
export async function storedSettings(
  db: Transaction,
  account: string,
  kind: string,
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('callsheet.found_readings')
    .select(['reading', 'variant'])
    .where('account', '=', account)
    .where('reading', 'like', `${kind}%`)
    .orderBy('reading')
    .execute()
  return new Map(rows.map(({ reading, variant }) => [reading.slice(kind.length), variant]))
}

/** Records the setting under which a stream's rows are stored; an empty one is removed. */
export async function storeSetting(
  tx: Transaction,
  { account, reading }: { account: string; reading: string },
  variant: string,
): Promise<void> {
  if (variant === '')
    await tx
      .deleteFrom('callsheet.found_readings')
      .where('account', '=', account)
      .where('reading', '=', reading)
      .execute()
  else
    await tx
      .insertInto('callsheet.found_readings')
      .values({ account, reading, variant })
      .onConflict((conflict) => conflict.columns(['account', 'reading']).doUpdateSet({ variant }))
      .execute()
}
