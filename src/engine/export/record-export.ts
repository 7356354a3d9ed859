import { sql } from 'kysely'
import type { Warehouse } from '../../warehouse/connection/connect.ts'
import { noneErasedSince } from '../../warehouse/erasure/erasure-locks.ts'
import type { PlacedFile } from '../report/put-in-place.ts'
import type { ExportOptions } from './exporting.ts'

/**
 * Records who exported what, when and whereto, among the published reports: an erasure must find it. False
 * where somebody was erased since the mark was read, with what the bundle holds: then nothing is entered.
 */
export async function recordExport(
  warehouse: Warehouse,
  { scope, by }: Pick<ExportOptions, 'scope' | 'by'>,
  { mark, ...file }: PlacedFile & { mark: string },
): Promise<boolean> {
  const { account, ...asked } = scope
  const files = [file]
  return await warehouse.transaction(async (tx) => {
    if (!(await noneErasedSince(tx, account, mark))) return false
    await sql`insert into callsheet.published_reports
        (account, report, params, as_of, run_ids, published_at, files)
      select ${account}, 'audit-export', ${JSON.stringify({ ...asked, by })}::jsonb, callsheet.clock(),
        coalesce(array_agg(id) filter (where id is not null), '{}'), callsheet.clock(),
        ${JSON.stringify(files)}::jsonb
      from (select max(id) as id from callsheet.runs
        where account = ${account} and finished_at is not null) last`.execute(tx)
    return true
  })
}
