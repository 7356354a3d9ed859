import { afterEach, beforeAll, expect, it } from 'vitest'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import { freePort } from '../helpers/free-port.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let url: string
let world: World
beforeAll(async () => void (url = `http://127.0.0.1:${await freePort()}`))
afterEach(() => world.close())

it('a sync of an unreachable service gives up in all jobs, and each problem names the cause', async () => {
  world = await openWorld({ sizes: TINY, settings: { baseUrl: `${url}/v2`, authUrl: url } })
  const results = await world.sync({ jobs: [recordings, recordingDetails, sessionReports] })
  const states = new Map(results.map(({ job, state, ...rest }) => [job, { state, ...rest }]))
  expect(states.get('recordings')).toMatchObject({ state: 'incomplete' })
  // Details are read after their lists, and more than eight windows of these have failed by then.
  expect(states.get('recording-details')).toMatchObject({ state: 'failed', slices: {} })
  for (const { job, problems } of results) {
    expect(problems.length).toBeGreaterThan(0)
    for (const problem of problems)
      expect([job, problem]).toEqual([job, expect.stringMatching(/ECONNREFUSED|in a row/)])
  }
  for (const { job, state, problems } of await world.sync()) {
    if (job === 'evidence') continue
    expect([job, state]).toEqual([job, expect.stringMatching(/^(?:incomplete|failed)$/)])
    expect(problems).not.toEqual([])
  }
})

it('a sync whose token server is unreachable still reads all lists that need no token', async () => {
  world = await openWorld({ sizes: TINY, settings: { authUrl: url } })
  const results = await world.sync()
  const complete = results.filter(({ state }) => state === 'complete').map(({ job }) => job)
  expect(complete.filter((job) => job !== 'evidence').toSorted()).toEqual([
    'recording-details',
    'recordings',
    'session-reports',
  ])
})
