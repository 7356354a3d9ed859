import { afterAll, beforeAll, expect, it } from 'vitest'
import { jobs } from '../../../src/account/catalog.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { readHealth } from '../../../src/serve/health/account-health.ts'
import { snapshotReader } from '../../../src/serve/health/read-snapshot.ts'
import type { AccountSnapshot } from '../../../src/serve/health/snapshot.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../../helpers/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
})
afterAll(() => world.close())

const users = jobs.filter(({ name }) => name === 'users')
const HOUR_MS = 3_600_000

it('the status counts rows again when a run of the job has ended, or after an hour', async () => {
  const clock = manualClock(Date.parse(WORLD_NOW))
  const { config } = loadConfig({ path: world.place.configFile, jobs, environment: {} })
  const wiring = { config, clock, observer: silentObserver }
  const opened = { warehouse: world.warehouse, wiring }
  const read = snapshotReader(opened, world.account.settings, readHealth)
  await world.sync({ jobs: users })
  expect(rowsOf(await read())).toBe(60)
  await removeSome()
  await clock.advance(HOUR_MS - 1)
  expect(rowsOf(await read())).toBe(60)
  await clock.advance(1)
  expect(rowsOf(await read())).toBe(50)
  await world.sync({ jobs: users, full: true })
  expect(rowsOf(await read())).toBe(60)
})

it('the status shows when each job is due and how many calls a sync needs', async () => {
  const clock = manualClock(Date.parse(WORLD_NOW))
  const { config } = loadConfig({ path: world.place.configFile, jobs, environment: {} })
  const wiring = { config, clock, observer: silentObserver }
  const opened = { warehouse: world.warehouse, wiring }
  const of = await snapshotReader(opened, world.account.settings, readHealth)()
  const due = (name: string) => of.jobs.find(({ job }) => job === name)?.due
  expect(due('users')).toMatchObject({ schedule: '0 1 * * *', timezone: 'UTC', overdueMs: 0 })
  expect(due('recordings')?.overdueMs).toBeGreaterThanOrEqual(0)
  expect(due('session-reports')).toMatchObject({
    lastMs: Date.parse('2026-07-08T02:00:00Z'),
    nextStartMs: Date.parse('2026-07-08T02:00:00Z'),
    overdueMs: 1_800_000,
  })
  expect(of.quota.length).toBeGreaterThan(1)
  expect(of.quota.reduce((sum, { planned }) => sum + planned, 0)).toBeGreaterThan(20)
  expect(JSON.stringify(of)).not.toMatch(/@|client-secret|video-secret/)
})

function rowsOf({ jobs: all }: AccountSnapshot): number | undefined {
  return all.find(({ job }) => job === 'users')?.streams.find(({ stream }) => stream === 'users')
    ?.rows
}

/** Deletes rows without a run, as an erasure or a person would. */
async function removeSome(): Promise<void> {
  const { db } = world.warehouse
  await db
    .deleteFrom('svc.users')
    .where('id', 'in', (eb) => eb.selectFrom('svc.users').select('id').orderBy('id').limit(10))
    .execute()
}
