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
