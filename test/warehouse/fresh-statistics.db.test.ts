import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { analyzeFresh } from '../../src/warehouse/fresh-statistics.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((made) => (warehouse = made))

async function known(): Promise<{ rows: number; columns: number }> {
  const { rows } = await sql<{ rows: number; columns: number }>`
    select reltuples::int as rows, (select count(*)::int from pg_stats
      where schemaname = 'svc' and tablename = 'session_reports') as columns
    from pg_class where oid = 'svc.session_reports'::regclass`.execute(warehouse.db)
  return rows[0] ?? { rows: 0, columns: 0 }
}

test('the planner has statistics of a table right after it was first filled', async () => {
  await analyzeFresh(warehouse)
  expect((await known()).columns).toBe(0)
  await sql`insert into svc.session_reports
      (account, id, start_time, _raw, _hash, _run_id, _first_seen_at, _changed_at)
    select 'a', md5('id ' || n), now(), '{}', decode(md5('id ' || n), 'hex'), 1, now(), now()
    from generate_series(1, 10000) n`.execute(warehouse.db)
  await analyzeFresh(warehouse)
  expect(await known()).toMatchObject({ rows: 10_000 })
  expect((await known()).columns).toBeGreaterThan(5)
})
