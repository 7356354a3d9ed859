import { sql } from 'kysely'
import type { Warehouse } from './connect.ts'

/**
 * Analyzes tables of at least `LARGE_BYTES` without planner statistics. Autovacuum would do that only later,
 * and until then the planner assumes nearly empty tables. Tables that the role may not analyze are skipped.
 */
export async function analyzeFresh({ withClient }: Pick<Warehouse, 'withClient'>): Promise<void> {
  await withClient(async (_client, db) => {
    const { rows: fresh } = await sql<{ schema: string; name: string }>`
      select n.nspname as schema, c.relname as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('svc', 'history', 'callsheet') and c.relkind = 'r' and c.reltuples <= 0
        and pg_relation_size(c.oid) >= ${LARGE_BYTES} and pg_has_role(c.relowner, 'usage')
        and not pg_is_in_recovery()
      order by 1, 2`.execute(db)
    // The query builder has no ANALYZE.
    for (const { schema, name } of fresh) await sql`analyze ${sql.id(schema, name)}`.execute(db)
  })
}

/** The planner's guess is good enough for smaller tables. */
const LARGE_BYTES = 2 ** 19
