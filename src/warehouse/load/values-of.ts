import { sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Warehouse } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'

/** What rows hold in a column, each once; of many values some. */
export async function valuesOf(
  warehouse: Warehouse,
  { account, stream }: { account: string; stream: Stream },
  column: string,
): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    select distinct ${sql.id(column)} as value from ${current(stream)}
    where account = ${account} and _deleted_at is null and ${sql.id(column)} <> ''
    order by 1 limit ${MOST}`.execute(warehouse.db)
  return rows.map(({ value }) => value)
}

const MOST = 1_000
