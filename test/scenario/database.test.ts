import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { jobs } from '../../src/cli/catalog.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)

test('backends that are terminated in the middle cost a retry and nothing else', async () => {
  const world = await openWorld({ seed: 21 })
  const killer = connect({ url: world.place.databaseUrl, poolSize: 1 })
  try {
    let ended = false
    const running = world.sync().finally(() => {
      ended = true
    })
    let killed = 0
    while (!ended) {
      const { rows } = await sql<{ killed: boolean }>`
        select pg_terminate_backend(pid) as killed from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'
        limit 1`.execute(killer.db)
      killed += rows.length
      if (killed >= 6) break
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
