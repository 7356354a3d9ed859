import type { Warehouse } from '../../src/warehouse/connect.ts'
import { accountTables, digestOf } from '../../src/warehouse/move/account-tables.ts'

/** By table, the number and the digest of an account's rows; without tables that have none. */
export async function accountDigests(
  { db }: Pick<Warehouse, 'db'>,
  account: string,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const table of await accountTables(db)) {
    const { rows, digest } = await digestOf(db, table, account)
    if (rows > 0) found[table.name] = `${rows} ${digest}`
  }
  return found
}
