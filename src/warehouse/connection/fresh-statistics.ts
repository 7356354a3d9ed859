import { sql } from 'kysely'
import type { Warehouse } from './connect.ts'

/**
 * Analyzes the tables that were filled since the planner last knew anything of them: the server does so by
 * itself only a while later, and until then plans for next to nothing. Those that the role may not analyze
 * are left to the server.
 */
export async function analyzeFresh({ withClient }: Pick<Warehouse, 'withClient'>): Promise<void> {
  await withClient(async (_client, db) => {
    const { rows } = await sql<{ schema: string; name: string }>`
      select n.nspname as schema, c.relname as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('svc', 'history', 'callsheet') and c.relkind = 'r' and c.reltuples <= 0
        and pg_relation_size(c.oid) >= ${LARGE_BYTES}::bigint
        and pg_has_role(c.relowner, 'usage') and not pg_is_in_recovery()
      order by 1, 2`.execute(db)
    for (const { schema, name } of rows) await sql`analyze ${sql.id(schema, name)}`.execute(db)
  })
}

/** Of less the planner is right enough by guessing. */
const LARGE_BYTES = 2 ** 19
