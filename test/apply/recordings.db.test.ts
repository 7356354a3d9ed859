import { afterAll, beforeAll, expect, it } from 'vitest'
import { desiredRecordings } from '../../src/apply/desired/recordings.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { deleteRecordingFile, deleteRecordings } from '../../src/resources/recording-changes.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'
import { type ApplyBench, applyBench, brief, states, wanted } from './apply-bench.ts'

let world: World
let bench: ApplyBench
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  bench = applyBench(world)
})
afterAll(() => world.close())

const live = async () =>
  (await rowsOf(world.sandbox, 'recording_sessions'))
    .filter(({ trashed }) => !trashed || trashed === 'false')
    .map((row) => String(row.session_id))
const filesOf = async (session: string) =>
  (await rowsOf(world.sandbox, 'recording_files'))
    .filter((row) => row.session_id === session && typeof row.id === 'string' && row.id !== '')
    .map((row) => String(row.id))

it('a trashed session is recovered completely, once', async () => {
  const [session = ''] = await live()
  const wish = wanted(desiredRecordings, { session_id: session })
  expect(brief(await bench.plan(wish))).toEqual(['present'])
  await bench.call(deleteRecordings, { sessionId: session })
  expect(await live()).not.toContain(session)
  const { plans, settled, sending } = await bench.apply([wish])
  expect(brief(plans)).toEqual(['change: in the trash → recovered'])
  expect([states(settled), sending.calls]).toEqual([['done'], 1])
  expect(await live()).toContain(session)
  expect(brief(await bench.plan(wish))).toEqual(['present'])
})

it('files that were trashed one by one are recovered one by one', async () => {
  let session = ''
  let files: string[] = []
  for (const one of await live()) {
    files = await filesOf(one)
    session = one
    if (files.length > 2) break
  }
  const [first = '', second = ''] = files
  expect(files.length).toBeGreaterThan(2)
  for (const recordingId of [first, second])
    await bench.call(deleteRecordingFile, { sessionId: session, recordingId })
  const one = wanted(desiredRecordings, { session_id: session, recording_id: first })
  expect(states((await bench.apply([one])).settled)).toEqual(['done'])
  const rest = await bench.apply([wanted(desiredRecordings, { session_id: session })])
  expect(rest.plans[0]?.items.map(({ what }) => what)).toEqual([
    `recording ${second} of ${session}`,
  ])
  expect(states(rest.settled)).toEqual(['done'])
  expect(await filesOf(session)).toEqual(expect.arrayContaining([first, second]))
})

it('the recovery of a missing or too old recording is refused', async () => {
  const [session = ''] = await live()
  await bench.call(deleteRecordings, { sessionId: session })
  const wish = wanted(desiredRecordings, { session_id: session }, { session_id: 'none' })
  expect(brief(await bench.plan(wish))).toEqual([
    'change: in the trash → recovered',
    expect.stringContaining('refused: it is neither there nor in the trash'),
  ])
  await world.advance(31 * DAY_MS)
  bench = applyBench(world)
  expect(brief(await bench.plan(wish))[0]).toMatch(/^refused/)
})
