import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { Job } from '../../src/core/job.ts'
import { DAY_MS } from '../../src/core/time.ts'
import type { RunResult } from '../../src/engine/run-result.ts'
import { releaseBrakes } from '../../src/warehouse/suspects.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

/** The service lists what it says is not there when it is asked for by itself. */
let world: World
afterEach(() => world.close())

test('one session that is said not to be there is told, and read once it is', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  deny(/\/whiteboards\/sessions\/./, '34000', 1)
  for (let night = 0; night < 2; night++) {
    const told = await sync(whiteboardArchives)
    expect(told).toMatchObject({ state: 'complete' })
    expect(told.problems).toEqual([
      expect.stringMatching(
        /^whiteboard_activities: one list is not there, though no list showed that its parent is gone/,
      ),
    ])
    expect(await absentLists('whiteboard_activities')).toMatchObject([
      { judged: false, settled: false, received: 0 },
    ])
    await world.advance(DAY_MS)
  }
  delete world.ways.tell
  expect(await sync(whiteboardArchives)).toMatchObject({ state: 'complete', problems: [] })
  expect(await absentLists('whiteboard_activities')).toEqual([])
  await equalsService(whiteboardArchives)
})

test('one that expires while it is said not to be there is lost, which is told', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  deny(/\/whiteboards\/sessions\/./, '34000', 1)
  await sync(whiteboardArchives)
  await world.advance(401 * DAY_MS)
  const late = await sync(whiteboardArchives)
  expect(late.state).toBe('incomplete')
  expect(late.problems).toContainEqual(
    expect.stringMatching(/^whiteboard_activities: 1 of whiteboard_sessions expired before/),
  )
  const { rows } = await sql<{ subject: string }>`
    select subject from callsheet.incidents where kind = 'expired_before_download'`.execute(
    world.warehouse.db,
  )
  expect(rows).toEqual([{ subject: expect.stringMatching(/^session:./) }])
})

test('a recording whose detail comes late is held the next day', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  await sync(recordings)
  deny(/\/videosdk\/sessions\/.*\/recordings/, '3301', 3)
  expect((await sync(recordingDetails)).problems).toEqual([
    expect.stringMatching(/^recording_details: 3 lists are not there/),
  ])
  delete world.ways.tell
  await world.advance(DAY_MS)
  await sync(recordings)
  expect(await sync(recordingDetails)).toMatchObject({ state: 'complete', problems: [] })
  await equalsService(recordingDetails)
})

test('details that go all at once are asked for by each run until they are let go', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  await sync(recordings)
  const first = await sync(recordingDetails)
  const { present = 0 } = first.tables.recording_details ?? {}
  expect(present).toBeGreaterThan(2)
  deny(/\/videosdk\/sessions\/.*\/recordings/, '3301', 1_000)
  await world.advance(91 * DAY_MS)
  Object.assign(world.account.deps, { goneLimit: { share: 0.1, rows: 1 } })
  let runId = 0
  for (let nth = 0; nth < 3; nth++) {
    const { braked, tables, ...run } = await sync(recordingDetails)
    expect(braked).toMatchObject([{ stream: 'recording_details', missing: present }])
    expect(tables.recording_details).toMatchObject({ gone: 0, present })
    runId = run.runId
  }
  await releaseBrakes(world.warehouse, { account: 'account-0', runId })
  expect((await sync(recordingDetails)).tables.recording_details).toMatchObject({ present: 0 })
})

/** Of what such calls ask for, so much is not there from now on: the first that are asked for. */
function deny(path: RegExp, code: string, count: number): void {
  const denied = new Set<string>()
  world.ways.tell = (asked, told) => {
    if (!path.test(asked.path) || (denied.size === count && !denied.has(asked.path))) return
    denied.add(asked.path)
    Object.assign(told, { status: 404, body: { code, message: 'Not found.' } })
  }
}

async function sync(job: Job): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job] })
  if (result === undefined) throw new Error('No run')
  return result
}

async function equalsService({ streams }: Job): Promise<void> {
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
}

/** Lists of which the last word is that they are not there. */
async function absentLists(stream: string): Promise<object[]> {
  const { rows } = await sql<{ pages: number }>`
    select distinct on (slice) state, judged, settled, pages, received from callsheet.slices
    where stream = ${stream} order by slice, run_id desc`.execute(world.warehouse.db)
  return rows.filter(({ pages }) => pages === 0)
}
