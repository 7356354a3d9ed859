import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Warehouse } from '../connect.ts'
import { anyOf } from '../schema/expressions.ts'
import { firstKey, presentRows } from '../schema/table-sql.ts'

/** Counts a nested stream's rows and lists, and the rows in the lists of these parents. */
export async function countLists(
  { db }: Warehouse,
  of: { account: string; stream: Stream },
  parents: readonly string[],
): Promise<{ owned: number; filled: number; missing: number }> {
  const parent = firstKey(of.stream, 't')
  return await db
    .selectFrom(presentRows(of).as('t'))
    .select(({ fn }) => [
      fn.countAll<number>().as('owned'),
      sql<number>`count(distinct ${parent})`.as('filled'),
      fn.countAll<number>().filterWhere(parent, '=', anyOf(parents)).as('missing'),
    ])
    .executeTakeFirstOrThrow()
}
