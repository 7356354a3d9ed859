import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Warehouse } from '../connect.ts'
import { presentRows } from '../schema/table-sql.ts'

/** Counts present rows without an instant in the column that places them in a window. */
export async function countTimeless(
  { db }: Warehouse,
  { column, ...of }: { account: string; stream: Stream; column: string },
): Promise<number> {
  const { timeless } = await db
    .selectFrom(presentRows(of).as('t'))
    .select(({ fn }) => fn.countAll<number>().as('timeless'))
    .where(sql.id('t', column), 'is', null)
    .executeTakeFirstOrThrow()
  return timeless
}
