import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import { DAY_MS } from '../../src/core/time.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, SMALL, type World, WORLD_NOW } from '../helpers/world.ts'

let world: World

beforeEach(async () => {
  world = await openWorld({ seed: 41 })
})
afterEach(() => world.close())

const truth = () =>
  expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams: recordings.streams })
const states = async () =>
  (
    await sql<{ trashed: boolean; gone: boolean; count: number }>`
      select trashed, _deleted_at is not null as gone, count(*) as count from svc.recording_sessions
      group by 1, 2 order by 1, 2`.execute(world.warehouse.db)
  ).rows

test('recordings whose files are all trashed singly are in the trash', async () => {
  await world.sync({ jobs: [recordings] })
  const before = await states()
  await world.mutate({ ops: oldest({ trash: 'every-file', deletedMs }) })
  const [result] = await world.sync({ jobs: [recordings], full: true })
  expect(result).toMatchObject({ state: 'complete', problems: [] })
  expect(await states()).not.toEqual(before)
  await truth()
})

const oldest = (patch: object, length = 20) =>
  Array.from({ length }, (_, index) => ({ kind: 'recordings', action: 'change', index, patch }))
const deletedMs = Date.parse(WORLD_NOW) - DAY_MS

test('a session trashed long after its window was read is trashed, and live when recovered', async () => {
  await world.sync({ jobs: [recordings] })
  await world.mutate({ ops: oldest({ trash: 'session', deletedMs }) })
  const [trashed] = await world.sync({ jobs: [recordings] })
  expect(trashed).toMatchObject({ state: 'complete', problems: [] })
  expect(trashed?.tables.recording_sessions).toMatchObject({ updated: 20, gone: 0 })
  await truth()
  await world.mutate({ ops: oldest({ trash: 'none' }) })
  const [recovered] = await world.sync({ jobs: [recordings] })
  expect(recovered).toMatchObject({ state: 'complete', problems: [] })
  expect(recovered?.tables.recording_sessions).toMatchObject({ updated: 20, gone: 0 })
  await truth()
})

test('days of trashing, recovering and deleting leave no trace of the order', async () => {
  await world.sync({ jobs: [recordings] })
  for (const seed of [7, 8, 9]) {
    await world.advance(DAY_MS)
    await world.mutate({ seed, scale: 20 })
    expect((await world.sync({ jobs: [recordings] }))[0]?.state).toBe('complete')
    await truth()
  }
})

test('an empty trash needs no person, as the service empties it by itself', async () => {
  await world.sync({ jobs: [recordings] })
  const trashed = async () =>
    (
      await sql`select from svc.trashed_recordings where _deleted_at is null`.execute(
        world.warehouse.db,
      )
    ).rows.length
  expect(await trashed()).toBeGreaterThan(1)
  await world.mutate({ ops: oldest({ trash: 'none' }, SMALL.recordings) })
  const [emptied] = await world.sync({ jobs: [recordings], full: true })
  expect(emptied).toMatchObject({ state: 'complete', braked: [] })
  expect(await trashed()).toBe(0)
  await truth()
})
