import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrations } from '../../src/account/migrations.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { erase } from '../erasure/stage.ts'
import { emptyDatabase } from '../helpers/database.ts'
import { setForeignDefaults } from '../helpers/foreign-defaults.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeAll(async () => {
  const database = await emptyDatabase()
  await setForeignDefaults(database.url)
  const owner = connect({ url: database.url, poolSize: 1 })
  await migrate(owner, migrations)
  await owner.close()
  world = await openWorld({ sizes: TINY, archive: {} }, database)
})
afterAll(() => world.close())

describe('a database with unusual default settings', () => {
  it('supports a full sync with evidence, a sync of changes and an erasure', async () => {
    for (const full of [true, false]) {
      const runs = await world.sync({ full })
      expect(runs.filter(({ state }) => state !== 'complete')).toEqual([])
      expect(runs.length).toBeGreaterThan(5)
      await world.mutate()
      await world.advance(DAY_MS)
    }
    const person = await world.warehouse.db
      .selectFrom('svc.users')
      .select('id')
      .executeTakeFirstOrThrow()
    const [erased] = await erase(world, { persons: [person.id] })
    expect(erased?.outcome.leftBehind).toEqual({})
  })
})

const DAY_MS = 86_400_000
