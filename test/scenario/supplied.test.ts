import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import type { Job } from '../../src/core/define/job.ts'
import { carrierPeeringNumbers, peeringNumbers } from '../../src/resources/peering-numbers.ts'
import { storageLocationDetails, storageLocations } from '../../src/resources/storage-locations.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const STREAMS = [peeringNumbers, carrierPeeringNumbers, storageLocations]
const ALL = [...STREAMS, storageLocationDetails]
const JOBS = ['number-settings', 'recordings', 'recording-details'].map(
  (name) => jobs.find((job) => job.name === name) as Job,
)

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY })
  await syncedTables()
})
afterEach(() => world.close())

test('partner numbers and storage locations equal the service; a second sync changes nothing', async () => {
  await equalsService()
  const tables = await syncedTables()
  for (const { name } of STREAMS) {
    expect(tables[name]).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
    expect(tables[name]?.unchanged).toBeGreaterThan(8)
  }
})

test('a sync finds exactly the edits, each in the lists that show it', async () => {
  const ops = [
    { kind: 'list:storage_locations', action: 'change', index: 0, patch: { selected: false } },
    {
      kind: 'list:storage_locations',
      action: 'change',
      index: 2,
      patch: { selected: true, name: 'Vault' },
    },
    { kind: 'list:storage_locations', action: 'remove', index: 4 },
    {
      kind: 'list:storage_locations',
      action: 'add',
      patch: { bucket: 'acme-new', region: 'us-east-1' },
    },
    ...[1, 2, 3, 4, 5, 6].map((index) => ({
      kind: 'peering',
      action: 'change',
      index,
      patch: { service_info: 'Ported on Friday' },
    })),
    ...[20, 21, 22, 23].map((index) => ({ kind: 'peering', action: 'remove', index })),
    { kind: 'peering', action: 'add' },
  ]
  const changes = await world.mutate({ ops })
  expect(changes.storage_locations).toEqual({ inserted: 1, updated: 2, deleted: 1 })
  expect(changes.peering_numbers?.updated).not.toBe(changes.carrier_peering_numbers?.updated)
  const tables = await syncedTables()
  for (const { name } of ALL)
    expect({ name, ...tables[name] }).toMatchObject({ name, ...changes[name] })
  await equalsService()
})

test('the reachability of each storage location is read every night', async () => {
  const states = async () => {
    const { rows } = await sql<{ id: string; verify_status: string }>`
      select id, verify_status from report.storage_location_details order by id`.execute(
      world.warehouse.db,
    )
    return new Map(rows.map((row) => [row.id, row.verify_status]))
  }
  const before = await states()
  expect([...before.values()].toSorted()).toEqual(['failure', ...Array<string>(8).fill('success')])
  const reached = {
    kind: 'list:storage_locations',
    action: 'change',
    index: 1,
    patch: { reached: false },
  }
  const changes = await world.mutate({ ops: [reached] })
  expect(changes.storage_location_details).toEqual({ inserted: 0, updated: 1, deleted: 0 })
  expect(changes.storage_locations?.updated).toBe(0)
  await world.advance(23 * 3_600_000)
  const tables = await syncedTables()
  expect(tables.storage_location_details).toMatchObject({ unchanged: 8, updated: 1, present: 9 })
  const lost = [...(await states())].filter(([id, state]) => before.get(id) !== state)
  expect(lost).toEqual([[expect.any(String), 'failure']])
  await equalsService()
})

test('a number’s customer is stored only in the carrier’s own table', async () => {
  const { rows } = await sql<{ own: number; named: number; said: number }>`
    select (select count(*)::int from svc.peering_numbers) as own,
      (select count(distinct customer_account_number)::int from svc.carrier_peering_numbers) as named,
      (select count(*)::int from svc.peering_numbers where _raw::text ~ 'customer_account') as said
  `.execute(world.warehouse.db)
  expect(rows[0]?.own).toBeGreaterThan(20)
  expect(rows[0]).toMatchObject({ named: 3, said: 0 })
})

async function syncedTables() {
  const results = await world.sync({ jobs: JOBS })
  for (const result of results) expect(result).toMatchObject({ state: 'complete', problems: [] })
  return Object.assign({}, ...results.map(({ tables }) => tables)) as (typeof results)[0]['tables']
}

async function equalsService(): Promise<void> {
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams: ALL })
}
