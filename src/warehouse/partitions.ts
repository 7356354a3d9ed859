import { sql } from 'kysely'
import type { Warehouse } from './connect.ts'

interface MissingPartition {
  space: string
  parent: string
}

/**
 * Makes the partitions of this and the next month where they are missing; one query when none is. The
 * database's own functions do it, so that the user who syncs needs no right to create tables.
 */
export async function ensureMonthPartitions(warehouse: Warehouse): Promise<void> {
  const { rows } = await sql<MissingPartition>`
    select distinct space, parent from callsheet.missing_partitions() order by 1, 2`.execute(
    warehouse.db,
  )
  // One table a transaction: attaching locks the default partition, and two such locks could meet a
  // writer's.
  for (const { space, parent } of rows)
    await warehouse.transaction((tx) =>
      sql`select callsheet.make_partitions(${space}, ${parent})`.execute(tx),
    )
}
