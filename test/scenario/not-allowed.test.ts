import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { exitCodeOfRuns } from '../../src/cli/frame/exit-codes.ts'
import type { Job } from '../../src/core/define/job.ts'
import { readStatus } from '../../src/serve/health/read-status.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, WORLD_NOW, type World, type WorldOptions } from '../helpers/world.ts'

let world: World
afterEach(() => world.close())

const open = async (options: WorldOptions): Promise<void> => {
  world = await openWorld({ sizes: TINY, ...options })
}

test('a job completes its other streams if the plan does not allow one', async () => {
  await open({ switches: { providerExchange: false, customerStorage: false } })
  const results = await world.sync({
    jobs: of('number-settings', 'recordings', 'recording-details'),
  })
  expect(statesOf(results)).toEqual(['complete', 'complete', 'complete'])
  expect(exitCodeOfRuns(results)).toBe(0)
  expect(results.map(({ notAllowed }) => Object.keys(notAllowed))).toEqual([
    ['peering_numbers', 'carrier_peering_numbers'],
    [],
    ['storage_locations'],
  ])
  const storage = results[2]?.notAllowed.storage_locations
  expect(storage).toMatch(/HTTP 403 with code 3335.*cannot store recordings in its own storage/)
  expect(results[2]?.problems).toEqual([`storage_locations: not allowed. ${storage}`])
  const shut = new Set(results.flatMap(({ notAllowed }) => Object.keys(notAllowed)))
  // If the list is not allowed, it has no rows whose details could be requested.
  const read = results
    .flatMap(({ tables }) => Object.keys(tables))
    .filter((name) => !shut.has(name) && name !== 'storage_location_details')
  expect(read.length).toBeGreaterThan(8)
  await equalsService(read)
  expect(await ledger(shut)).toEqual([
    { stream: 'carrier_peering_numbers', state: 'not_allowed', checked: false, error: true },
    { stream: 'peering_numbers', state: 'not_allowed', checked: false, error: true },
    { stream: 'storage_locations', state: 'not_allowed', checked: false, error: true },
  ])
})

test('a job completes its other streams if an operation or a feature is unavailable', async () => {
  await open({ switches: { commercialCluster: false, classification: false } })
  const [result] = await world.sync({ jobs: of('whiteboards') })
  expect(result?.state).toBe('complete')
  expect(result?.notAllowed).toEqual({
    whiteboard_content: expect.stringContaining('HTTP 404'),
    classification_labels: expect.stringContaining('enable data classification'),
  })
  await equalsService(['whiteboards', 'whiteboard_collaborators'])
})

test('a scope only for the user’s own sessions does not allow the list, and no row is deleted', async () => {
  const scopes = ['whiteboard:read:list_sessions:admin', 'whiteboard:read:session']
  await open({ accounts: [{ scopes }], archive: { files: true } })
  const [first] = await world.sync({ jobs: of('whiteboard-archives') })
  expect(first?.notAllowed).toEqual({
    whiteboard_activities: expect.stringContaining(
      'the token has the scope whiteboard:read:session, which',
    ),
  })
  const { rows: stored } = await sql<{ id: string }>`
    select id from svc.whiteboard_sessions order by start_time limit 1`.execute(world.warehouse.db)
  const ops = stored.map(({ id }) => ({ kind: 'whiteboards', action: 'remove', id }))
  expect(await world.mutate({ ops })).toMatchObject({ whiteboard_sessions: { deleted: 1 } })
  await world.sync({ jobs: of('whiteboard-archives'), full: true })
  const { rows } = await sql`
    select 1 from svc.whiteboard_sessions where _deleted_at is not null`.execute(world.warehouse.db)
  expect(rows).toEqual([])
})

test('a job completes its other streams if a licence for details is missing', async () => {
  await open({ switches: { phoneLicence: false } })
  const results = await world.sync({
    jobs: of('phone-numbers', 'number-settings', 'number-details'),
  })
  expect(statesOf(results)).toEqual(['complete', 'complete', 'complete'])
  const shut = results.map(({ notAllowed }) => Object.keys(notAllowed))
  expect(shut).toEqual([[], ['sip_groups'], ['ported_order_details']])
  await equalsService(['ported_orders', 'phone_number_details'])
})

test('a missing scope is named, and every run tries its stream again', async () => {
  const scopes = ['number_management:read:list_sip_trunks:admin']
  await open({ accounts: [{ scopes }] })
  const [result] = await world.sync({ jobs: of('number-settings') })
  expect(result?.state).toBe('complete')
  expect(result?.notAllowed.sip_groups).toMatch(
    /token with the scope .*number_management\S*:read\S*:admin.*add the scope on the app/,
  )
  await equalsService(['sip_trunks'])
  const { stats } = world.sandbox
  const before = stats().operations['sip_groups.list'] ?? 0
  await world.sync({ jobs: of('number-settings') })
  expect(stats().operations['sip_groups.list']).toBeGreaterThan(before)
})

test('stored rows stay unchanged if their stream is no longer allowed', async () => {
  await open({})
  await world.sync({ jobs: of('number-settings') })
  await world.mutate({ ops: [{ kind: 'groups', action: 'remove', index: 0 }] })
  await world.faults([{ kind: 'status', status: 403, operation: 'sip_groups.list' }])
  const before = await rowsOf('sip_groups')
  const [refused] = await world.sync({ jobs: of('number-settings') })
  expect(refused).toMatchObject({ state: 'complete', tables: { sip_groups: { deleted: 0 } } })
  expect(Object.keys(refused?.notAllowed ?? {})).toEqual(['sip_groups'])
  expect(await rowsOf('sip_groups')).toEqual(before)
  expect(before.length).toBeGreaterThan(2)
  expect((await refusals()).sip_groups).toContain('HTTP 403')
  await world.faults([])
  const [again] = await world.sync({ jobs: of('number-settings') })
  expect(again).toMatchObject({ state: 'complete', problems: [], notAllowed: {} })
  expect(again?.tables.sip_groups?.deleted).toBe(1)
  expect(await refusals()).toEqual({})
  await equalsService(['sip_groups'])
})

test('a job with no allowed stream is incomplete', async () => {
  await open({ switches: { videoSessions: false } })
  const results = await world.sync({ jobs: of('recordings', 'users') })
  expect(statesOf(results)).toEqual(['incomplete', 'complete'])
  expect(exitCodeOfRuns(results)).toBe(4)
  expect(results[0]?.notAllowed.recording_sessions).toContain('code 200')
})

test('a refused list counts as failed, not as a missing permission, if others are answered', async () => {
  await open({})
  await world.faults([{ kind: 'status', status: 403, operation: 'sip_groups.list', after: 1 }])
  const [result] = await world.sync({ jobs: of('number-settings') })
  expect(result).toMatchObject({ state: 'incomplete', notAllowed: {} })
  expect(result?.problems[0]).toContain(
    'sip_groups: the service refuses some of the lists but not all',
  )
})

test.each([
  ['a failing service', 500, 'incomplete'],
  ['an unknown path', 404, 'incomplete'],
  ['a refusal of a token that was accepted before', 401, 'failed'],
] as const)('%s does not count as a missing permission', async (_what, status, state) => {
  await open({})
  await world.sync({ jobs: of('number-settings') })
  await world.faults([{ kind: 'status', status, operation: 'sip_groups.list' }])
  const [result] = await world.sync({ jobs: of('number-settings') })
  expect(result).toMatchObject({ state, notAllowed: {} })
  expect(await refusals()).toEqual({})
})

const of = (...names: string[]): Job[] =>
  names.map((name) => jobs.find((job) => job.name === name) as Job)

const statesOf = (results: readonly RunResult[]): string[] => results.map(({ state }) => state)

async function equalsService(names: readonly string[]): Promise<void> {
  const all = jobs.flatMap(({ streams }) => streams)
  const streams = all.filter(({ name }) => names.includes(name))
  expect(streams).toHaveLength(names.length)
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
}

/** The reasons why streams are not allowed, as `callsheet status` shows them. */
async function refusals(): Promise<Record<string, string>> {
  const status = await readStatus(world.warehouse, {
    account: 'account-0',
    jobs,
    nowMs: Date.parse(WORLD_NOW),
  })
  const streams = status.jobs.flatMap((job) => job.streams)
  const shut = streams.filter(({ refusal }) => refusal !== undefined)
  return Object.fromEntries(shut.map(({ stream, refusal }) => [stream, refusal ?? '']))
}

async function rowsOf(table: string): Promise<unknown[]> {
  const query = sql`select * from ${sql.id('svc', table)} order by 1, 2`
  return (await query.execute(world.warehouse.db)).rows
}

async function ledger(streams: ReadonlySet<string>): Promise<unknown[]> {
  const { rows } = await sql`select stream, state, checked, error is not null as error
    from callsheet.slices where stream in (${sql.join([...streams])}) order by stream`.execute(
    world.warehouse.db,
  )
  return rows
}
