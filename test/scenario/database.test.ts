import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)

test('terminated database backends cost only a retry', async () => {
  const world = await openWorld({ seed: 21 })
  const killer = connect({ url: world.place.databaseUrl, poolSize: 1 })
  try {
    let ended = false
    const running = world.sync().finally(() => {
      ended = true
    })
    running.catch(() => {})
    let killed = 0
    let grownTo = 0
    while (!ended && killed < 12) {
      // Waits until the sync made progress: a database that never answers is another test.
      const { rows } = await sql<{ size: number }>`
        select (select count(*) from svc.users) + (select count(*) from svc.whiteboard_activities)
          + (select count(*) from callsheet.slices) as size`.execute(killer.db)
      const size = rows[0]?.size ?? 0
      if (size <= grownTo) continue
      const victims = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
          and backend_type = 'client backend' limit 1`.execute(killer.db)
      if (victims.rows.length > 0) grownTo = size
      killed += victims.rows.length
    }
    const results = await running
    expect(killed).toBeGreaterThan(0)
    if (results.some(({ state }) => state !== 'complete')) await world.sync()
    await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
  } finally {
    await killer.close()
    await world.close()
  }
})
