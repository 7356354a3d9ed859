import { afterAll, beforeAll, expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const jobs = [whiteboardArchives, recordings]
const streams = jobs.flatMap((job) => job.streams)
let world: World

beforeAll(async () => {
  world = await openWorld({ sizes: TINY, historyDays: 360 })
})
afterAll(() => world.close())

const readBack = async (historyDays: number) => {
  const deps = { ...world.account.deps, historyDays }
  const results = await world.sync({ jobs, account: { ...world.account, deps } })
  expect(results.map(({ state }) => state)).toEqual(['complete', 'complete'])
  const [archive, recorded] = results.map(({ tables }) => tables)
  return [archive?.whiteboard_sessions, recorded?.recording_sessions].map(
    (table) => table?.present ?? undefined,
  )
}

test('archives and recordings are read as far back as the account’s settings say', async () => {
  const [sessions = 0, kept = 0] = await readBack(180)
  expect([sessions, kept]).toEqual([expect.any(Number), expect.any(Number)])
  const further = await readBack(365)
  expect(further[0]).toBeGreaterThan(sessions)
  expect(further[1]).toBeGreaterThan(kept)
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
})

test('stored rows stay if the configured history is shortened later', async () => {
  const all = await readBack(365)
  expect(await readBack(30)).toEqual(all)
})
