import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrations } from '../../src/account/migrations.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { erase } from '../erasure/stage.ts'
import { onDatabase } from '../helpers/database-url.ts'
import { olderPrograms, startOlderServer } from '../helpers/older-server.ts'
import type { ThrowawayServer } from '../helpers/throwaway-server.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const programs = olderPrograms()
if (programs === undefined)
  process.stdout.write(
    'NOT RUN: what needs Postgres 15 (postgresql-15), which this machine lacks\n',
  )

describe.runIf(programs !== undefined)('Postgres 15, the oldest supported version,', () => {
  let server: ThrowawayServer
  let world: World
  let migrated: string[] = []
  beforeAll(async () => {
    server = await startOlderServer(programs ?? '')
    const admin = connect({ url: server.url, poolSize: 1 })
    await sql`create database nights`.execute(admin.db)
    await admin.close()
    const url = onDatabase(server.url, 'nights')
    const owner = connect({ url, poolSize: 1 })
    migrated = await migrate(owner, migrations)
    await owner.close()
    world = await openWorld({ sizes: TINY, archive: {} }, { url, drop: async () => undefined })
  })
  afterAll(async () => {
    await world.close()
    await server.stop()
  })

  it('supports two nights of an account and an erasure', async () => {
    const { rows } = await sql<{ version: string }>`
      select current_setting('server_version') as version`.execute(world.warehouse.db)
    expect(rows[0]?.version).toMatch(/^15\./)
    expect(migrated).toEqual(Object.keys(migrations))
    for (const full of [true, false]) {
      const runs = await world.sync({ full })
      expect(runs.filter(({ state }) => state !== 'complete')).toEqual([])
      expect(runs.length).toBeGreaterThan(5)
      await world.mutate()
      await world.advance(86_400_000)
    }
    const person = await world.warehouse.db
      .selectFrom('svc.users')
      .select('id')
      .executeTakeFirstOrThrow()
    const [erased] = await erase(world, { persons: [person.id] })
    expect(erased?.outcome.leftBehind).toEqual({})
  })
})
