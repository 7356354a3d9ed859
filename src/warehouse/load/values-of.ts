import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Warehouse } from '../connect.ts'
import { presentRows } from '../schema/table-sql.ts'

/** Returns up to 1,000 distinct values of a column in present rows. */
export async function valuesOf(
  { db }: Warehouse,
  of: { account: string; stream: Stream },
  column: string,
): Promise<string[]> {
  const value = sql.id<string>('t', column)
  const rows = await db
    .selectFrom(presentRows(of).as('t'))
    .select(value.as('value'))
    .distinct()
    .where(value, '<>', '')
    .orderBy('value')
    .limit(MOST)
    .execute()
  return rows.map((row) => row.value)
}

const MOST = 1_000
