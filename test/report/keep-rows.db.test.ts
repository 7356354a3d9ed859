import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endKeeping, keepRows } from '../../src/report/keep-rows.ts'
import type { Transaction, Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})
beforeAll(async () => {
  await sql`create table public.t as select n from generate_series(1, 5) n`.execute(warehouse.db)
})
afterAll(async () => {
  await sql`drop table public.t`.execute(warehouse.db)
})

const keeping = { snapshot: true, keeps: true }
const odd = sql`select n, ${'odd'}::text as kind from public.t where n % ${2}::int = 1`

it('keeping rows runs a query once, and returns the same rows each time they are read', async () => {
  const [kept, tables] = await warehouse.transaction(async (tx) => {
    const rows = await keepRows(tx, 'odd', odd)
    await sql`insert into public.t values (7)`.execute(warehouse.db)
    return [[await numbers(tx, rows), await numbers(tx, rows)], await ownTables(tx)]
  }, keeping)
  expect(kept).toEqual([
    [1, 3, 5],
    [1, 3, 5],
  ])
  expect(tables).toBe(1)
  expect(await warehouse.withClient((_client, db) => ownTables(db))).toBe(0)
})

it('after keeping rows has ended, kept rows can still be read, but nothing can be written', async () => {
  const after = (statement: string) =>
    warehouse.transaction(async (tx) => {
      const rows = await keepRows(tx, 'odd', odd)
      await endKeeping(tx)
      expect(await numbers(tx, rows)).not.toEqual([])
      await sql.raw(statement).execute(tx)
    }, keeping)
  for (const statement of ['delete from public.t', 'create temporary table more (n int)'])
    await expect(after(statement)).rejects.toMatchObject({ code: 'database_read_only' })
})

it('keeping rows runs the query each time if no temporary table may be created', async () => {
  const [kept, tables] = await warehouse.transaction(
    async (tx) => {
      const rows = await keepRows(tx, 'odd', odd)
      return [await numbers(tx, rows), await ownTables(tx)]
    },
    { snapshot: true },
  )
  expect(kept).toEqual([1, 3, 5, 7])
  expect(tables).toBe(0)
})

async function numbers(tx: Transaction, rows: Awaited<ReturnType<typeof keepRows>>) {
  const read = await sql<{ n: number }>`select n from ${rows} r order by n`.execute(tx)
  return read.rows.map(({ n }) => n)
}

async function ownTables(tx: Transaction): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_class where relnamespace = pg_my_temp_schema()`.execute(
    tx,
  )
  return rows[0]?.count ?? -1
}
