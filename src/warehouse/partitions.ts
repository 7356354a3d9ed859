import { sql } from 'kysely'
import type { Transaction, Warehouse } from './connect.ts'

interface MissingPartition {
  schema: string
  parent: string
  column: string
  partition: string
  from: string
  to: string
}

/** Makes the partitions of this and the next month where they are missing; one query when none is. */
export async function ensureMonthPartitions(warehouse: Warehouse): Promise<void> {
  for (const { schema, parent } of await missingPartitions(warehouse.db)) {
    // One table a transaction: attaching locks the default partition, and two such locks could meet a
    // writer's.
    await warehouse.transaction(async (tx) => {
      await sql`select pg_advisory_xact_lock(${PARTITION_LOCK})`.execute(tx)
      // Another process may have been first.
      const missing = await missingPartitions(tx)
      for (const each of missing.filter((one) => one.schema === schema && one.parent === parent))
        await createPartition(tx, each)
    })
  }
}

async function missingPartitions(db: Transaction): Promise<MissingPartition[]> {
  const { rows } = await sql<MissingPartition>`
    with months as (
      select start, start + interval '1 month' as next from generate_series(
        date_trunc('month', callsheet.clock() at time zone 'UTC'),
        date_trunc('month', callsheet.clock() at time zone 'UTC') + interval '1 month',
        interval '1 month') as start),
    wanted as (
      select c.relnamespace as space, c.relname as parent, a.attname as column,
        c.relname || to_char(start, '"_"YYYY"_"MM') as partition, start, next
      from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
        join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0], months
      where p.partstrat = 'r'
        and c.relnamespace in ('callsheet'::regnamespace, 'history'::regnamespace))
    select space::regnamespace::text as schema, parent, "column", partition,
      to_char(start, 'YYYY-MM-DD') as from, to_char(next, 'YYYY-MM-DD') as to
    from wanted where not exists (
      select 1 from pg_class where relnamespace = space and relname = partition)
    order by 1, 2, 4`.execute(db)
  return rows
}

/**
 * Rows of the month may lie in the default partition already, when nothing ran at the end of the month
 * before.
 */
async function createPartition(tx: Transaction, missing: MissingPartition): Promise<void> {
  const { schema, parent, column, partition } = missing
  const own = sql.id(schema, partition)
  const whole = sql.id(schema, parent)
  const rest = sql.id(schema, `${parent}_default`)
  // Both columns' types read a date as the start of that day in UTC, the zone of our connections.
  const from = sql.lit(missing.from)
  const to = sql.lit(missing.to)
  await sql`create table ${own} (like ${whole} including all)`.execute(tx)
  await sql`lock table ${rest} in access exclusive mode`.execute(tx)
  await sql`with moved as (
      delete from ${rest} where ${sql.id(column)} >= ${from} and ${sql.id(column)} < ${to} returning *)
    insert into ${own} select * from moved`.execute(tx)
  await sql`alter table ${whole} attach partition ${own} for values from (${from}) to (${to})`.execute(
    tx,
  )
}

/** Any number that no other lock of ours has. */
const PARTITION_LOCK = 2_026_000_001
