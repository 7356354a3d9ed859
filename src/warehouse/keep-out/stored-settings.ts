import type { Transaction } from '../connect.ts'

/** The settings that the stored rows of an account are under, of one kind, such as `rows of `. */
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

/** Records the setting that the stored rows of a stream are under; an empty one is removed. */
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
