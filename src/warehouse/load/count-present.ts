import { sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Warehouse } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'

export async function countPresent(
  warehouse: Warehouse,
  { account, stream }: { account: string; stream: Stream },
): Promise<number> {
  const { rows } = await sql<{ present: number }>`
    select count(*) as present from ${current(stream)} where account = ${account}
      and _deleted_at is null`.execute(warehouse.db)
  return rows[0]?.present ?? 0
}
