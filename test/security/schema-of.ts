import { sql } from 'kysely'
import type { Warehouse } from '../../src/warehouse/connect.ts'

/** Every relation and column, function, role right and index that a statement could have changed. */
export async function schemaOf({ db }: Warehouse): Promise<unknown[]> {
  const { rows } = await sql`
    select c.oid::regclass::text as name, c.relkind::text as kind, a.attname as part,
      a.atttypid::regtype::text as type
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where n.nspname in ('callsheet', 'svc', 'history', 'report', 'public')
    union all
    select p.oid::regprocedure::text, 'function', md5(p.prosrc), p.prosecdef::text
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('callsheet', 'svc', 'history', 'report', 'public')
    order by 1, 2, 3`.execute(db)
  return rows
}
