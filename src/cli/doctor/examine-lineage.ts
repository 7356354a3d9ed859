import { sql } from 'kysely'
import type { OpenWarehouse } from '../../account/wire.ts'
import { refuseRestored } from '../../warehouse/ledger/lineage.ts'
import { attempt, type Finding } from './findings.ts'

/** Checks whether this is the database that this machine worked with before, or an earlier state of it. */
export async function examineLineage(
  { warehouse }: OpenWarehouse,
  account: string,
): Promise<Finding[]> {
  const check = `${account} database`
  return await attempt(check, async () => {
    await refuseRestored(warehouse, account)
    const known = warehouse.notes?.read(account) !== undefined
    const text = known
      ? 'the one that this machine used before'
      : 'this machine uses it for the first time'
    return [{ check, state: 'ok', text }]
  })
}

/** Warns of accounts whose rows are here, though their settings name another database. */
export async function examineNamesakes(
  { warehouse: { db } }: OpenWarehouse,
  elsewhere: readonly string[],
): Promise<Finding[]> {
  if (elsewhere.length === 0) return []
  const found = await db
    .selectFrom('callsheet.leases')
    .select('account')
    .where('account', 'in', elsewhere)
    .where('moved_to', 'is', null)
    .where(sql<boolean>`marks <> '{}'`)
    .orderBy('account')
    .execute()
  return found.map(({ account }) => ({
    check: `${account} database`,
    state: 'warning',
    text: `this database has rows of ${account}, whose setting names another one`,
    todo:
      `to bring them there, run callsheet move ${account} --from DATABASE with the name of this one; ` +
      'or set accounts[].database back',
  }))
}
