import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import users from '../../jobs/users.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { erase } from './stage.ts'

let world: World
let ids: string[]
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  await world.sync({ jobs: [users] })
  ids = await left()
})
afterAll(() => world.close())

const left = async (): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select id from svc.users order by id`.execute(
    world.warehouse.db,
  )
  return rows.map(({ id }) => id)
}

it('one failed erasure does not stop the others, and succeeds in the next call', async () => {
  const { db } = world.warehouse
  const [first = '', second = ''] = ids
  await sql`create function public.refuse() returns trigger language plpgsql as $$
    begin raise exception 'not this one' using errcode = '23514'; end $$`.execute(db)
  await sql`create trigger refuse before delete on svc.users for each row
    when (old.id = ${sql.lit(first)}) execute function public.refuse()`.execute(db)
  await expect(erase(world, { persons: [first, second] })).rejects.toThrow('the data was refused')
  expect(await left()).toEqual(ids.filter((id) => id !== second))
  await sql`drop trigger refuse on svc.users`.execute(db)
  const erased = await erase(world)
  expect(erased.map(({ outcome }) => outcome.leftBehind)).toEqual([{}])
  expect(await left()).toEqual(ids.slice(2))
})

it('an erasure allows a statement more time than a sync does', async () => {
  const { place, warehouse } = world
  await sql`create function public.slow() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.4); return new; end $$`.execute(warehouse.db)
  await sql`create trigger slow before update on callsheet.erasure_requests for each row
    execute function public.slow()`.execute(warehouse.db)
  const hasty = connect({ url: place.databaseUrl, statementTimeoutMs: 300 })
  try {
    await expect(
      sql`update callsheet.erasure_requests set by_name = by_name`.execute(hasty.db),
    ).rejects.toMatchObject({ code: 'statement_timeout' })
    const [, , third = ''] = ids
    await erase({ ...world, warehouse: hasty }, { persons: [third] })
    expect(await left()).toEqual(ids.slice(3))
  } finally {
    await hasty.close()
  }
})
