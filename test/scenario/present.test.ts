import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import users from '../../jobs/users.ts'
import { openWorld, type World } from '../helpers/world.ts'

let world: World
beforeAll(async () => void (world = await openWorld({ seed: 5 })))
afterAll(() => world.close())

/** A run's counts of the table, and the table's real row count. */
async function sync() {
  const [result] = await world.sync({ jobs: [users], full: true })
  const { rows } = await sql<{ present: number }>`
    select count(*) as present from svc.users where _deleted_at is null`.execute(world.warehouse.db)
  const { inserted, updated, deleted, present } = result?.tables.users ?? {}
  return { inserted, updated, deleted, present, inTable: rows[0]?.present }
}

const ops = (...given: object[]) => world.mutate({ ops: given })

test('a run reports how many rows exist after every kind of change', async () => {
  const first = await sync()
  const all = first.inTable ?? 0
  expect(all).toBeGreaterThan(20)
  expect(first).toMatchObject({ inserted: all, present: all })
  expect(await sync()).toMatchObject({ inserted: 0, updated: 0, present: all, inTable: all })

  await ops({ kind: 'users', action: 'change', index: 3, patch: { dept: 'another' } })
  const changed = await sync()
  expect(changed).toMatchObject({ inserted: 0, updated: 1, deleted: 0, present: all, inTable: all })

  await ops({ kind: 'users', action: 'remove', index: 4 }, { kind: 'users', action: 'add' })
  const replaced = await sync()
  expect(replaced).toMatchObject({ inserted: 1, deleted: 1, present: all, inTable: all })

  await ops({ kind: 'users', action: 'remove', index: 6 })
  const fewer = await sync()
  expect(fewer).toMatchObject({ inserted: 0, deleted: 1, present: all - 1, inTable: all - 1 })

  // The users return, as rows that the table already has.
  await sql`update svc.users set _deleted_at = now() where id in (
    select id from svc.users where _deleted_at is null limit 2)`.execute(world.warehouse.db)
  const back = await sync()
  const there = { present: all - 1, inTable: all - 1 }
  expect(back).toMatchObject({ inserted: 0, updated: 2, deleted: 0, ...there })
})

test('a row that Postgres refuses is counted only as quarantined', async () => {
  const { db } = world.warehouse
  const before = await sync()
  await sql`create function public.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused' using errcode = '22003'; end $$`.execute(db)
  await sql`create trigger refuse before insert on svc.users for each row
    execute function public.refuse()`.execute(db)
  await ops({ kind: 'users', action: 'add' })
  const there = { present: before.present, inTable: before.inTable }
  // Refused alone, beside a change, and in a nightly run.
  expect(await sync()).toMatchObject({ inserted: 0, updated: 0, deleted: 0, ...there })
  await ops({ kind: 'users', action: 'change', index: 5, patch: { dept: 'moved' } })
  expect(await sync()).toMatchObject({ inserted: 0, updated: 1, deleted: 0, ...there })
  const [night] = await world.sync({ jobs: [users] })
  expect(night?.tables.users).toMatchObject({
    inserted: 0,
    quarantined: 1,
    present: before.present,
  })
  const { rows } = await sql<{ off: number }>`
    select received - inserted - updated - unchanged - ignored - quarantined as off
    from callsheet.slices where stream = 'users'`.execute(db)
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter(({ off }) => off !== 0)).toEqual([])
  await sql`drop trigger refuse on svc.users`.execute(db)
  const after = await sync()
  const more = (before.inTable ?? 0) + 1
  expect(after).toMatchObject({ inserted: 1, present: more, inTable: more })
})
