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
  const isPart =
    hold?.sessionId !== undefined || ![undefined, whiteboard].includes(hold?.whiteboardId)
  if (hold === undefined || !hold.active || isPart)
    throw new ConfigurationError('case_unusable', {
      tried: `Exporting for the case ${name}`,
      came:
        hold === undefined
          ? `account ${account} has no hold of this name`
          : hold.active
            ? 'its hold covers only a part of this export'
            : 'its hold has ended',
      todo: 'place a hold with callsheet archive hold add; callsheet archive hold list shows all holds',
    })
  return { name, reason: hold.reason, held_until: hold.ends ?? null }
}
