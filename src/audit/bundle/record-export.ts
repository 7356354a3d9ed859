import { sql } from 'kysely'
import type { PlacedFile } from '../../report/put-in-place.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { noneErasedSince } from '../../warehouse/keep-out/erasure-locks.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { ExportOptions } from './exporting.ts'

/**
 * Records the export as a published report, with its scope, time, path and person, so that an erasure finds
 * the bundle. Returns false and records nothing if a person was erased since the bundle's mark was read.
 */
export async function recordExport(
  warehouse: Warehouse,
  { scope, by, forCase }: Pick<ExportOptions, 'scope' | 'by' | 'forCase'>,
  { mark, files }: { mark: string; files: readonly PlacedFile[] },
): Promise<boolean> {
  const { account, ...asked } = scope
  return await warehouse.transaction(async (tx) => {
    if (!(await noneErasedSince(tx, account, mark))) return false
    const last = tx
      .selectFrom('callsheet.runs')
      .select(({ fn }) => fn.max('id').as('id'))
      .where('account', '=', account)
      .where('finished_at', 'is not', null)
    await tx
      .insertInto('callsheet.published_reports')
      .values({
        account,
        report: 'audit-export',
        params: JSON.stringify({ ...asked, by, case: forCase?.name }),
        as_of: now,
        run_ids: sql<number[]>`array_remove(array[${last}], null)`,
        published_at: now,
        files: JSON.stringify(files),
      })
      .execute()
    return true
  })
}
