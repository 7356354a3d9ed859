import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentObserver } from '../../src/core/define/observer.ts'
import { installQueue, openQueue } from '../../src/serve/queue/queue.ts'
import { connect, type Transaction, type Warehouse } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { emptyDatabase, type TestDatabase, testDatabase } from '../helpers/database.ts'

/** The tests count tries with a sequence, because no rollback undoes it. */
let database: TestDatabase
let warehouse: Warehouse
beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url })
  await prepare(warehouse.db)
})
beforeEach(async () => {
  await sql`alter sequence public.tries restart`.execute(warehouse.db)
  await sql`truncate public.t`.execute(warehouse.db)
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

describe.each(['40001', '40P01'])('work aborted by the server with %s', (code) => {
  it('is retried as a whole transaction', async () => {
    const seen: number[] = []
    await warehouse.transaction(async (tx) => {
      seen.push(await insertOne(tx))
      await failing(tx, code, 4)
    })
    expect(seen).toEqual([0, 0, 0, 0, 0])
    expect(await count(warehouse.db)).toBe(1)
  })

  it('fails after five tries', async () => {
    const given = warehouse.transaction((tx) => failing(tx, code, 99))
    await expect(given).rejects.toMatchObject({
      code: code === '40001' ? 'serialization_failure' : 'deadlock',
    })
    expect(await tries()).toBe(5)
  })

  it('is not retried with the option once', async () => {
    const once = warehouse.transaction((tx) => failing(tx, code, 1), { once: true })
    await expect(once).rejects.toThrow(code)
    expect(await tries()).toBe(1)
  })

  it('is retried as a single statement, on any of our connections', async () => {
    await failing(warehouse.db, code, 2)
    await failing(warehouse.apart, code, 4)
    await warehouse.withClient((_client, db) => failing(db, code, 6))
    expect(await tries()).toBe(7)
  })

  it('is not retried inside a Kysely transaction, which is rolled back', async () => {
    const whole = warehouse.db.transaction().execute(async (tx) => {
      await insertOne(tx)
      await failing(tx, code, 1)
    })
    await expect(whole).rejects.toThrow(code)
    expect(await tries()).toBe(1)
    expect(await count(warehouse.db)).toBe(0)
    await failing(warehouse.db, code, 2)
  })

  it('is retried as a migration', async () => {
    const own = await emptyDatabase()
    const fresh = connect({ url: own.url, poolSize: 1 })
    await prepare(fresh.db)
    const only = { '0001_only': { up: (db: Transaction) => failing(db, code, 2) } }
    expect(await migrate(fresh, only as never)).toEqual(['0001_only'])
    await fresh.close()
    await own.drop()
  })

  it('is retried in the queue', async () => {
    await installQueue({ warehouse, observer: silentObserver })
    await sql`create or replace function public.fail() returns trigger language plpgsql as
      $$ begin perform public.conflict(${sql.lit(code)}, 2); return new; end $$`.execute(
      warehouse.db,
    )
    await sql`create or replace trigger failing before insert on callsheet_queue.job_common
      for each row execute function public.fail()`.execute(warehouse.db)
    const queue = await openQueue(
      { warehouse, observer: silentObserver },
      { pollSeconds: 1, heartbeatSeconds: 10 },
    )
    await queue.offer([{ place: `p-${code}`, priority: 0 }])
    await queue.close()
    await sql`drop trigger failing on callsheet_queue.job_common`.execute(warehouse.db)
    const { rows } = await sql<{ data: object }>`
      select data from callsheet_queue.job where singleton_key = ${`p-${code}`}`.execute(
      warehouse.db,
    )
    expect(rows).toEqual([{ data: { place: `p-${code}` } }])
    expect(await tries()).toBe(3)
  })
})

it('two deadlocked transactions both succeed', async () => {
  await sql`insert into public.t values (1), (2)`.execute(warehouse.db)
  const both = Promise.withResolvers<void>()
  let there = 0
  const swap = (first: number, second: number) =>
    warehouse.transaction(async (tx) => {
      await sql`update public.t set n = n where n = ${first}`.execute(tx)
      if (++there === 2) both.resolve()
      await both.promise
      await sql`update public.t set n = n where n = ${second}`.execute(tx)
    })
  await Promise.all([swap(1, 2), swap(2, 1)])
  expect(there).toBeGreaterThan(2)
})

async function prepare(db: Transaction): Promise<void> {
  await sql`create table public.t (n int)`.execute(db)
  await sql`create sequence public.tries`.execute(db)
  await sql`create function public.conflict(code text, times bigint) returns void language plpgsql as $$
    begin
      if nextval('public.tries') <= times then raise exception 'in the way' using errcode = code; end if;
    end $$`.execute(db)
}

const failing = async (db: Transaction, code: string, times: number): Promise<void> =>
  void (await sql`select public.conflict(${code}, ${times})`.execute(db))

/** Inserts a row. Returns how many there were before. */
async function insertOne(db: Transaction): Promise<number> {
  const before = await count(db)
  await sql`insert into public.t values (1)`.execute(db)
  return before
}

async function count(db: Transaction): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from public.t`.execute(db)
  return rows[0]?.n ?? -1
}

async function tries(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select last_value::int as n from public.tries`.execute(
    warehouse.db,
  )
  return rows[0]?.n ?? -1
}
