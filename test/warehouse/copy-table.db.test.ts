import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { copyTable } from '../../src/warehouse/copy-table.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'

const databases: TestDatabase[] = []
let [source, target]: Warehouse[] = []
beforeAll(async () => {
  databases.push(await testDatabase(), await testDatabase())
  ;[source, target] = databases.map(({ url }) => connect({ url }))
  for (const one of [source!, target!])
    await sql`create table public.odd (n bigint primary key, said text, kept bytea)`.execute(one.db)
  // Line feeds, tabs, backslashes and nulls; rows of a few bytes, and some longer than a COPY's piece.
  await sql`insert into public.odd
    select n, case n % 5 when 0 then null when 1 then E'a\\n\\\\.\\n\\tb\\r'
      when 2 then '' when 3 then 'ø€😀\\N'
      else repeat(E'x\\n', case when n % 5000 = 4 then 3000000 else (n % 300)::int end) end,
      decode(md5(n::text), 'hex')
    from generate_series(1, 30000) n`.execute(source!.db)
  await sql`create table public.lots (rows bigint)`.execute(target!.db)
  await sql`create function public.note_lot() returns trigger language plpgsql as $$
    begin insert into public.lots select count(*) from added; return null; end $$`.execute(
    target!.db,
  )
  await sql`create trigger noted after insert on public.odd referencing new table as added
    for each statement execute function public.note_lot()`.execute(target!.db)
})
afterAll(async () => {
  await Promise.all([source?.close(), target?.close()])
  for (const database of databases) await database.drop()
})

const COPY = {
  out: 'copy (select * from public.odd) to stdout',
  into: 'copy public.odd from stdin',
}
const copy = () =>
  source!.withClient((one) => target!.withClient((other) => copyTable(one, other, COPY)))
const digest = async ({ db }: Warehouse) =>
  (
    await sql`select count(*) as rows, sum(('x' || left(md5(o::text), 15))::bit(60)::bigint) as sum
      from public.odd o`.execute(db)
  ).rows

describe('rows that are copied between two databases', () => {
  it('are equal, and no statement inserts 30,000 of them', async () => {
    await copy()
    expect(await digest(target!)).toEqual(await digest(source!))
    const { rows } = await sql<{ lots: number; most: number }>`
      select count(*) as lots, max(rows) as most from public.lots`.execute(target!.db)
    expect(rows[0]?.lots).toBeGreaterThan(5)
    expect(rows[0]?.most).toBeLessThan(30_000)
  })

  it('make the copy fail if the target refuses them, and both connections stay usable', async () => {
    await expect(copy()).rejects.toMatchObject({ code: 'sql_23505' })
    for (const one of [source!, target!])
      expect((await sql`select 1 as one`.execute(one.db)).rows).toEqual([{ one: 1 }])
    expect(await digest(target!)).toEqual(await digest(source!))
  })

  it('make the copy fail if the source cannot read them', async () => {
    const broken = { ...COPY, out: 'copy (select 1 / (n - 9) from public.odd) to stdout' }
    await expect(
      source!.withClient((one) => target!.withClient((other) => copyTable(one, other, broken))),
    ).rejects.toMatchObject({ code: 'sql_22012' })
    expect((await sql`select 1 as one`.execute(target!.db)).rows).toEqual([{ one: 1 }])
  })
})
