import type { BundleCase } from '../audit/proof/bundle-format.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Warehouse } from '../warehouse/connect.ts'

interface Scope {
  account: string
  /** The board to which the bundle is limited. */
  whiteboard?: string | undefined
}

/**
 * Returns the hold of a case, which keeps retention rules from removing files of the bundle; undefined
 * without a case. Throws if the hold is unknown, has ended or covers less than the bundle.
 */
export async function caseHold(
  warehouse: Warehouse,
  { account, whiteboard }: Scope,
  name: string | undefined,
): Promise<Omit<BundleCase, 'exported_by'> | undefined> {
  const { readHolds } = await import('../archive/sql/holds.ts')
  if (name === undefined) return undefined
  const hold = (await readHolds(warehouse, account)).find((one) => one.name === name)
  if (hold === undefined) throw unusableCase(name, `account ${account} has no hold of this name`)
  if (!hold.active) throw unusableCase(name, 'its hold has ended')
  if (hold.sessionId !== undefined || ![undefined, whiteboard].includes(hold.whiteboardId))
    throw unusableCase(name, 'its hold covers only a part of this export')
  return { name, reason: hold.reason, held_until: hold.ends ?? null }
}

function unusableCase(name: string, came: string): ConfigurationError {
  return new ConfigurationError('case_unusable', {
    tried: `Exporting for the case ${name}`,
    came,
    todo: 'place a hold with callsheet archive hold add; callsheet archive hold list shows all holds',
  })
}
