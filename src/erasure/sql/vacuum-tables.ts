import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { LEDGERS } from './erasure-ledgers.ts'

/**
 * Vacuums all tables that may have held a person's data. From Postgres 18 on, also clears the samples of
 * values in the planner's statistics. The database skips tables that the role may not vacuum.
 */
export async function cleanTables(
  warehouse: Pick<Warehouse, 'withClient'>,
  streams: readonly Stream[],
): Promise<void> {
  const data = streams.flatMap(({ name }): Table[] => [
    ['svc', name],
    ['history', name],
  ])
  const ledgers = Object.entries(LEDGERS).filter(([, treatment]) => !('none' in treatment))
  await clean(warehouse, [...data, ...ledgers.map(([name]): Table => ['callsheet', name])])
}

/** Cleans the table of requests in the same way, because an open request names its person. */
export async function cleanRequests(warehouse: Pick<Warehouse, 'withClient'>): Promise<void> {
  await clean(warehouse, [['callsheet', 'erasure_requests']])
}

type Table = [schema: string, name: string]

async function clean(
  { withClient }: Pick<Warehouse, 'withClient'>,
  tables: readonly Table[],
): Promise<void> {
  await withClient(async (client, db) => {
    const { clears } = await db
      .selectNoFrom(({ fn, val }) =>
        fn<unknown>('to_regproc', [val('pg_catalog.pg_clear_attribute_stats')]).as('clears'),
      )
      .executeTakeFirstOrThrow()
    if (clears !== null) await forgetSamples(db, tables)
    // The query builder has no VACUUM. Without `index_cleanup on`, few dead rows keep their index entries.
    for (const [schema, name] of tables)
      await sql`vacuum (analyze, index_cleanup on) ${sql.id(schema, name)}`.execute(db)
    return client
  })
}

/**
 * Clears the samples of the tables and their partitions, because an empty table is not sampled again and
 * would retain its last samples. Raw SQL, because it reads Postgres' own catalog.
 */
async function forgetSamples(db: Transaction, tables: readonly Table[]): Promise<void> {
  const names = tables.map(([schema, name]) => `${schema}.${name}`)
  const own = sql`${names}::text[]::regclass[]::oid[]`
  await sql`
    select pg_clear_attribute_stats(s.schemaname::text, s.tablename::text, s.attname::text, s.inherited)
    from pg_stats s where (s.schemaname, s.tablename) in (
      select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where (c.oid = any(${own})
          or c.oid in (select i.inhrelid from pg_inherits i where i.inhparent = any(${own})))
        and has_table_privilege(c.oid, 'maintain'))`.execute(db)
}
