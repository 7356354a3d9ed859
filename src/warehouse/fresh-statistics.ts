import { sql } from 'kysely'
import type { Warehouse } from './connect.ts'

/**
 * Analyzes filled tables without planner statistics. Autovacuum would do that only later, and until then the
 * planner assumes nearly empty tables. Tables that the role may not analyze are skipped.
 */
export async function analyzeFresh({ withClient }: Pick<Warehouse, 'withClient'>): Promise<void> {
  await withClient(async (_client, db) => {
    const fresh = await db
      .$extendTables<CatalogTables>()
      .selectFrom('pg_class as c')
      .innerJoin('pg_namespace as n', 'n.oid', 'c.relnamespace')
      .select(['n.nspname as schema', 'c.relname as name'])
      .where('n.nspname', 'in', ['svc', 'history', 'callsheet'])
      .where('c.relkind', '=', 'r')
      .where('c.reltuples', '<=', 0)
      .where(({ fn }) => fn<number>('pg_relation_size', ['c.oid']), '>=', LARGE_BYTES)
      .where(({ fn, val }) => fn<boolean>('pg_has_role', ['c.relowner', val('usage')]))
      .where(({ fn, not }) => not(fn<boolean>('pg_is_in_recovery')))
      .orderBy('n.nspname')
      .orderBy('c.relname')
      .execute()
    // The query builder has no ANALYZE.
    for (const { schema, name } of fresh) await sql`analyze ${sql.id(schema, name)}`.execute(db)
  })
}

/** The columns of Postgres's catalog that are read here. */
type CatalogTables = {
  pg_class: {
    oid: number
    relname: string
    relnamespace: number
    relkind: string
    relowner: number
    reltuples: number
  }
  pg_namespace: { oid: number; nspname: string }
}

/** The planner's guess is good enough for smaller tables. */
const LARGE_BYTES = 2 ** 19
