import { resolve } from 'node:path'
import { sql } from 'kysely'
import type { Warehouse } from '../../warehouse/connect.ts'
import type { ExportOptions } from './exporting.ts'
import type { PlacedFile } from './put-in-place.ts'

/** Records who exported what, when and whereto, among the published reports: an erasure must find it. */
export async function recordExport(
  warehouse: Warehouse,
  { scope, path, by }: Pick<ExportOptions, 'scope' | 'path' | 'by'>,
  { bytes, sha256 }: PlacedFile,
): Promise<void> {
  const { account, ...asked } = scope
  const files = [{ path: resolve(path), bytes, sha256 }]
  await warehouse.transaction((tx) =>
    sql`insert into callsheet.published_reports
        (account, report, params, as_of, run_ids, published_at, files)
      select ${account}, 'audit-export', ${JSON.stringify({ ...asked, by })}::jsonb, callsheet.clock(),
        coalesce(array_agg(id) filter (where id is not null), '{}'), callsheet.clock(),
        ${JSON.stringify(files)}::jsonb
      from (select max(id) as id from callsheet.runs
        where account = ${account} and finished_at is not null) last`.execute(tx),
  )
}
