import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import whiteboards from '../../jobs/whiteboards.ts'
import type { Job } from '../../src/core/define/job.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

/** The service refuses one list with a code that is documented for other calls only. */
let world: World
afterEach(() => world.close())

const SIZES = { ...TINY, whiteboards: 60, sessions: 20 }
const CONTENT = /\/whiteboards\/[^/]+\/content/
const ACTIVITIES = /\/whiteboards\/sessions\/./

test.each([
  { job: whiteboardArchives, path: ACTIVITIES, status: 403, code: '111804' },
  { job: whiteboardArchives, path: ACTIVITIES, status: 404, code: '3001' },
  { job: whiteboards, path: CONTENT, status: 404, code: '3001' },
])('one list refused with $status/$code is reported, and the others are read', async (refusal) => {
  const { job, path } = refusal
  const told = new RegExp(`one list is refused with an undocumented error.*HTTP ${refusal.status}`)
  world = await openWorld({ sizes: SIZES, altered: true })
  refuse(path, refusal, 1)
  for (let night = 0; night < 5; night++) {
    const run = await sync(job)
    expect(run).toMatchObject({ state: 'incomplete', notAllowed: {} })
    expect(run.problems).toEqual([expect.stringMatching(told)])
    // A run that follows at once is incomplete too.
    expect((await sync(job)).state).toBe('incomplete')
    await world.advance(DAY_MS)
  }
  delete world.ways.tell
  expect(await sync(job)).toMatchObject({ state: 'complete', problems: [] })
  await equalsService(job)
})

test.each([403, 404])('a run is incomplete if many lists are refused with a %i', async (status) => {
  world = await openWorld({ sizes: { ...SIZES, sessions: 60 }, altered: true })
  refuse(ACTIVITIES, { status, code: '3001' }, 20)
  const run = await sync(whiteboardArchives)
  expect(run.state).toBe('incomplete')
  expect(run.problems.join()).toMatch(
    /whiteboard_activities: \d\d lists are refused with an undocumented error/,
  )
})

test('a stream is not allowed if each of its lists gets a 403, even with only a few lists', async () => {
  world = await openWorld({ sizes: { ...TINY, sessions: 3 }, altered: true })
  refuse(ACTIVITIES, { status: 403, code: '111804' }, 1_000)
  const run = await sync(whiteboardArchives)
  expect(Object.keys(run.notAllowed)).toEqual(['whiteboard_activities'])
  expect(run.tables.whiteboard_activities?.present ?? 0).toBe(0)
})

test('a session whose recordings may not be read is reported, and the others are read', async () => {
  world = await openWorld({ sizes: { ...TINY, recordings: 20 }, altered: true })
  await sync(recordings)
  refuse(/\/videosdk\/sessions\/.*\/recordings/, { status: 200, code: '200' }, 1)
  const run = await sync(recordingDetails)
  expect(run).toMatchObject({ state: 'complete', notAllowed: {} })
  expect(run.problems).toContainEqual(
    expect.stringMatching(
      /^recording_details: one list is not readable for this account; the others were read/,
    ),
  )
})

test.each([
  { status: 403, code: '111804' },
  { status: 404, code: '3001' },
])(
  'the refused list of a trashed recording ($status/$code) is also requested again',
  async (refusal) => {
    world = await openWorld({ sizes: TINY, altered: true })
    const deletedMs = Date.parse(WORLD_NOW) - DAY_MS
    const patch = { trash: 'session', deletedMs }
    const trashed = [0, 1, 2, 3].map((index) => ({
      kind: 'recordings',
      action: 'change',
      index,
      patch,
    }))
    await world.mutate({ ops: trashed })
    await sync(recordings)
    const { rows } = await sql<{ id: string }>`select session_id as id from svc.recording_sessions
    where trashed and session_id not like '%/%' order by 1 limit 1`.execute(world.warehouse.db)
    const path = `/videosdk/sessions/${rows[0]?.id}/recordings`
    let asked = false
    world.ways.tell = (call, told) => {
      // An ID that is not found is requested in other encodings as well.
      if (!decodeURIComponent(decodeURIComponent(call.path)).includes(path)) return
      asked = true
      Object.assign(told, { status: refusal.status, body: { code: refusal.code, message: 'No.' } })
    }
    for (let night = 0; night < 2; night++) {
      asked = false
      const run = await sync(recordingDetails)
      expect(run).toMatchObject({ state: 'incomplete', notAllowed: {} })
      expect(run.problems).toEqual([
        expect.stringMatching(/one list is refused with an undocumented error/),
      ])
      expect(asked).toBe(true)
      await world.advance(DAY_MS)
    }
    delete world.ways.tell
    expect(await sync(recordingDetails)).toMatchObject({ state: 'complete', problems: [] })
  },
)

/** From now on, the first `count` records or lists requested by such calls are refused. */
function refuse(
  path: RegExp,
  { status, code }: { status: number; code: string },
  count: number,
): void {
  const refused = new Set<string>()
  world.ways.tell = (asked, told) => {
    const list = asked.path.replaceAll('%25', '%')
    if (!path.test(asked.path) || (refused.size === count && !refused.has(list))) return
    refused.add(list)
    Object.assign(told, { status, body: { code, message: 'No.' } })
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
