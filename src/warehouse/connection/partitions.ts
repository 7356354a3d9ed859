import { sql } from 'kysely'
import { LoadError } from '../../core/errors/errors.ts'
import type { Warehouse } from './connect.ts'

interface MissingPartition {
  space: string
  parent: string
}

/**
 * Makes the partitions of this and the next month where they are missing; one query when none is. The
 * database's own functions do it, so that the user who syncs needs no right to create tables.
 *
 * Answers the tables whose partitions are put off, because somebody reads them for long (a dump does): their
 * rows lie in the default partition until a later run moves them, and nobody waits for that behind us.
 */
export async function ensureMonthPartitions(warehouse: Warehouse): Promise<string[]> {
  const { rows } = await sql<MissingPartition>`
    select distinct space, parent from callsheet.missing_partitions() order by 1, 2`.execute(
    warehouse.db,
  )
  // One table a transaction: attaching locks the default partition, and two such locks could meet a
  // writer's.
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
