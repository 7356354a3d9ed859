import type { Stream } from '../../core/define/stream.ts'
import type { Warehouse } from '../connect.ts'
import { presentRows } from '../schema/table-sql.ts'

export async function countPresent(
  { db }: Warehouse,
  of: { account: string; stream: Stream },
): Promise<number> {
  const { present } = await db
    .selectFrom(presentRows(of).as('t'))
    .select(({ fn }) => fn.countAll<number>().as('present'))
    .executeTakeFirstOrThrow()
  return present
}
