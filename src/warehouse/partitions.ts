import { sql } from 'kysely'
import { LoadError } from '../core/errors.ts'
import type { Warehouse } from './connect.ts'

interface MissingPartition {
  space: string
  parent: string
}

/**
 * Creates missing partitions of this and the next month. It costs one query if none is missing. Database
 * functions create them, so the role that syncs may not create tables.
 *
 * Returns the tables whose partitions are postponed, because a long reader such as a dump locks them. Their
 * rows go to the default partition until a later run moves them, and no other statement has to wait behind
 * this one.
 */
export async function ensureMonthPartitions(warehouse: Warehouse): Promise<string[]> {
  const { rows } = await sql<MissingPartition>`
    select distinct space, parent from callsheet.missing_partitions() order by 1, 2`.execute(
    warehouse.db,
  )
  // One transaction per table: attaching locks the default partition, and two such locks could deadlock with
  // a writer.
  const putOff: string[] = []
  for (const { space, parent } of rows)
    try {
      await warehouse.transaction(async (tx) => {
        await sql`set local lock_timeout = '1s'`.execute(tx)
        await sql`select callsheet.make_partitions(${space}, ${parent})`.execute(tx)
      })
    } catch (error) {
      if (!(error instanceof LoadError) || error.code !== 'lock_timeout') throw error
      putOff.push(`${space}.${parent}`)
    }
  return putOff
}
