import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { Job } from '../../src/core/define/job.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { readStatus } from '../../src/serve/health/read-status.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

/** The service lists parents, but returns "not found" for some of their own lists. */
let world: World
afterEach(() => world.close())

test('the absent list of a listed session is reported, and read once it exists', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  deny(/\/whiteboards\/sessions\/./, '34000', 1)
  for (let night = 0; night < 2; night++) {
    const told = await sync(whiteboardArchives)
    expect(told).toMatchObject({ state: 'complete' })
    expect(told.problems).toEqual([
      expect.stringMatching(
        /^whiteboard_activities: one list is missing although the parent is not deleted/,
      ),
    ])
    expect(await absentLists('whiteboard_activities')).toMatchObject([
      { checked: false, final: false, received: 0 },
    ])
    await world.advance(DAY_MS)
  }
  delete world.ways.tell
  expect(await sync(whiteboardArchives)).toMatchObject({ state: 'complete', problems: [] })
  expect(await absentLists('whiteboard_activities')).toEqual([])
  await equalsService(whiteboardArchives)
})

test('a session that expires while its list is absent is reported as lost', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  deny(/\/whiteboards\/sessions\/./, '34000', 1)
  await sync(whiteboardArchives)
  await world.advance(401 * DAY_MS)
  const late = await sync(whiteboardArchives)
  expect(late.state).toBe('incomplete')
  expect(late.problems).toContainEqual(
    expect.stringMatching(/^whiteboard_activities: 1 record of whiteboard_sessions expired before/),
  )
  const { rows } = await sql<{ subject: string }>`
    select subject from callsheet.incidents where kind = 'expired_before_download'`.execute(
    world.warehouse.db,
  )
  expect(rows).toEqual([{ subject: expect.stringMatching(/^session:./) }])
})

test('the details of a recording that are not available at first are stored the next day', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  await sync(recordings)
  deny(/\/videosdk\/sessions\/.*\/recordings/, '3301', 3)
  expect((await sync(recordingDetails)).problems).toEqual([
    expect.stringMatching(/^recording_details: 3 lists are missing/),
  ])
  delete world.ways.tell
  await world.advance(DAY_MS)
  await sync(recordings)
  expect(await sync(recordingDetails)).toMatchObject({ state: 'complete', problems: [] })
  await equalsService(recordingDetails)
})

test('details that all disappear at once are kept until a person approves their deletion', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  await sync(recordings)
  const first = await sync(recordingDetails)
  const { present = 0 } = first.tables.recording_details ?? {}
  expect(present).toBeGreaterThan(2)
  deny(/\/videosdk\/sessions\/.*\/recordings/, '3301', 1_000)
  await world.advance(91 * DAY_MS)
  Object.assign(world.account.deps, { deletionGuard: { share: 0.1, rows: 1 } })
  let runId = 0
  for (let nth = 0; nth < 3; nth++) {
    const { trippedGuards, tables, ...run } = await sync(recordingDetails)
    expect(trippedGuards).toMatchObject([{ stream: 'recording_details', missing: present }])
    expect(tables.recording_details).toMatchObject({ deleted: 0, present })
    runId = run.runId
  }
  await approveDeletions(world.warehouse, { account: 'account-0', runId })
  expect((await sync(recordingDetails)).tables.recording_details).toMatchObject({ present: 0 })
})

test('a large share of absent lists leaves runs incomplete until the lists exist', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  deny(/\/whiteboards\/sessions\/./, '34000', 6)
  const told = /^whiteboard_activities: 6 of 20 lists are missing or not allowed, although /
  // A second run is no more complete, even if it does not request the absent lists.
  for (let night = 0; night < 2; night++) {
    const run = await sync(whiteboardArchives)
    expect(run.state).toBe('incomplete')
    expect(run.problems).toContainEqual(expect.stringMatching(told))
    expect(run.read).not.toContain('whiteboard_activities')
    expect(await absentOf('whiteboard_activities')).toEqual({ lists: 6, of: 20 })
  }
  Object.assign(world.account.deps, { absentLimit: { share: 0.5, rows: 5 } })
  expect(await sync(whiteboardArchives)).toMatchObject({ state: 'complete' })
  Object.assign(world.account.deps, { absentLimit: { share: 0.01, rows: 5 } })
  delete world.ways.tell
  await world.advance(DAY_MS)
  expect(await sync(whiteboardArchives)).toMatchObject({ state: 'complete', problems: [] })
  expect(await absentOf('whiteboard_activities')).toMatchObject({ lists: 0 })
})

test('a large share of absent details leaves every run incomplete', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  await sync(recordings)
  deny(/\/videosdk\/sessions\/.*\/recordings/, '3301', 7)
  for (let night = 0; night < 2; night++) {
    const run = await sync(recordingDetails)
    expect(run.state).toBe('incomplete')
    expect(run.problems.join()).toMatch(
      /recording_details: 7 of \d+ lists are missing or not allowed/,
    )
  }
})

test('absent lists leave the run complete if a new read no longer lists their parents', async () => {
  world = await openWorld({ sizes: { ...TINY, recordings: 40 }, altered: true })
  await sync(recordings)
  const { rows } = await sql<{ id: string }>`select session_id as id from svc.recording_sessions
    where _deleted_at is null and not trashed order by 1 limit 8`.execute(world.warehouse.db)
  await world.mutate({
    ops: rows.map(({ id }) => ({ kind: 'recordings', action: 'remove', id })),
  })
  const run = await sync(recordingDetails)
  expect(run.state).toBe('complete')
  expect(run.problems.join()).toContain('8 lists are missing')
})

test('an empty or failed read does not prove that the parents no longer exist', async () => {
  world = await openWorld({ sizes: { ...TINY, recordings: 40 }, altered: true })
  await sync(recordings)
  for (const spoil of [
    { status: 200, body: { sessions: [], next_page_token: '', page_size: 300 } },
    { status: 400, body: { code: 300, message: 'No.' } },
  ]) {
    deny(/\/videosdk\/sessions\/.*\/recordings/, '3301', 8)
    const { tell } = world.ways
    world.ways.tell = (asked, told) => {
      tell?.(asked, told)
      if (asked.path === '/v2/videosdk/recordings') Object.assign(told, spoil)
    }
    expect((await sync(recordingDetails)).state).toBe('incomplete')
  }
})

/** The absent lists of a stream, as `status` shows them. */
async function absentOf(stream: string): Promise<object | undefined> {
  const options = { account: 'account-0', jobs: [whiteboardArchives], nowMs: Date.parse(WORLD_NOW) }
  const { jobs } = await readStatus(world.warehouse, options)
  return jobs.flatMap(({ streams }) => streams).find((one) => one.stream === stream)?.absent
}

/** From now on, the first `count` records or lists requested by such calls do not exist. */
function deny(path: RegExp, code: string, count: number): void {
  const denied = new Set<string>()
  world.ways.tell = (asked, told) => {
    // After "not found" the client requests the ID again, in another encoding.
    const list = asked.path.replaceAll('%25', '%')
    if (!path.test(asked.path) || (denied.size === count && !denied.has(list))) return
    denied.add(list)
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

/** Lists that were absent in their last read. */
async function absentLists(stream: string): Promise<object[]> {
  const { rows } = await sql<{ pages: number }>`
    select distinct on (slice) state, checked, final, pages, received from callsheet.slices
    where stream = ${stream} order by slice, run_id desc`.execute(world.warehouse.db)
  return rows.filter(({ pages }) => pages === 0)
}
