import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { streams } from '../../src/account/catalog.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { testDatabase } from '../helpers/database.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { erase } from './stage.ts'

/** Its database has a publication for all tables: then Postgres needs a replica identity for updates. */
let world: World
beforeAll(async () => {
  const database = await testDatabase()
  const admin = connect({ url: database.url, poolSize: 1 })
  await sql`create publication captured for all tables`.execute(admin.db)
  await admin.close()
  world = await openWorld({ sizes: TINY }, database)
})
afterAll(() => world.close())

describe('a database with a publication for all tables', () => {
  it('accepts the changes of a sync and of an erasure', async () => {
    const first = await world.sync({ full: true })
    expect(first.map(({ state }) => state)).toEqual(first.map(() => 'complete'))
    await world.mutate()
    await world.advance(DAY_MS)
    await world.sync({ full: true })
    const id = await userWithHistory()
    const [erased] = await erase(world, { persons: [id] })
    expect(erased?.outcome.leftBehind).toEqual({})
    expect(await rowsNaming(id)).toBe(0)
  })
})

async function userWithHistory(): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from history.users limit 1`.execute(
    world.warehouse.db,
  )
  return rows[0]!.id
}

async function rowsNaming(id: string): Promise<number> {
  let naming = 0
  for (const { name } of streams)
    for (const schema of ['svc', 'history']) {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count
        from ${sql.id(schema, name)} t where position(${id} in t::text) > 0`.execute(
        world.warehouse.db,
      )
      naming += rows[0]!.count
    }
  return naming
}

const DAY_MS = 86_400_000
