import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, type World } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)

/** Small, but with enough calls for each fault to strike as often as it may. */
const SIZES = {
  users: 120,
  sessions: 60,
  whiteboards: 30,
  activities: 150,
  recordings: 40,
  numbers: 60,
}
const SOMETIMES = { probability: 0.1, count: 12 }
const SELDOM = { probability: 0.03, count: 4 }
const PASSING = [
  { kind: 'status', status: 500, ...SOMETIMES },
  { kind: 'status', status: 503, ...SOMETIMES },
  // The third such response in a row ends a call.
  { kind: 'html', ...SELDOM },
  { kind: 'broken-json', ...SELDOM },
  { kind: 'truncated', ...SOMETIMES },
  { kind: 'reset', ...SOMETIMES },
  { kind: 'rate-limited', probability: 0.1, count: 3 },
  // One refused token is renewed; two in a row would be another program's fault.
  { kind: 'invalid-token', after: 20, count: 1 },
]

describe('a temporary fault leaves no trace in the tables:', () => {
  test.each(PASSING)('$kind $status', async (fault) => {
    const world = await openWorld({ seed: 11, sizes: SIZES })
    try {
      await world.faults([fault])
      const results = await world.sync()
      const ends = results.map(({ job, state, problems }) => ({ job, state, problems }))
      expect(ends).toEqual(jobs.map(({ name }) => ({ job: name, state: 'complete', problems: [] })))
      expect(world.sandbox.stats().faults[fault.kind]).toBe(fault.count)
      await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
    } finally {
      await world.close()
    }
  })
})

describe('a lasting fault is reported and does not stop the other streams:', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ seed: 12 })
  })
  afterAll(() => world.close())

  test('a list that always fails makes only its own run incomplete', async () => {
    await world.faults([{ kind: 'status', status: 500, operation: 'phone_numbers.list' }])
    const results = await world.sync()
    const states = Object.fromEntries(results.map(({ job, state }) => [job, state]))
    expect(states).toMatchObject({
      'phone-numbers': 'incomplete',
      users: 'complete',
      recordings: 'complete',
    })
    const failed = results.find(({ job }) => job === 'phone-numbers')
    expect(failed?.slices.phone_numbers).toMatchObject({ planned: 1, complete: 0, failed: 1 })
    expect(failed?.problems.join()).toContain('phone_numbers')
  })

  test('an empty list after a full one deletes nothing', async () => {
    await world.faults([])
    await world.sync()
    await world.faults([{ kind: 'empty-list', operation: 'phone_numbers.list' }])
    const [result] = await world.sync({ jobs: jobs.filter(({ name }) => name === 'phone-numbers') })
    expect(result?.state).toBe('incomplete')
    expect(result?.tables.phone_numbers).toMatchObject({ deleted: 0, present: 500 })
    await world.faults([])
    await world.sync()
    await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
  })

  test('a service that stops answering ends the run early', async () => {
    await world.advance(24 * 3_600_000)
    await world.faults([{ kind: 'status', status: 502, operation: 'whiteboard_sessions.get' }])
    const before = world.sandbox.stats().labels.MEDIUM.requests
    const whiteboards = jobs.filter(({ name }) => name === 'whiteboard-archives')
    const [result] = await world.sync({ jobs: whiteboards })
    expect(result?.state).toBe('incomplete')
    expect(result?.problems.join('\n')).toContain('the remaining slices were not read')
    expect(result?.slices.whiteboard_activities?.failed).toBe(60)
    // Eight slices with eight tries each, and the calls in progress beside them.
    expect(world.sandbox.stats().labels.MEDIUM.requests - before).toBeLessThan(60 * 8)
    await world.faults([])
  })

  test('after a spent daily quota, the next run reads the missing slices', async () => {
    const whiteboards = jobs.filter(({ name }) => name === 'whiteboard-archives')
    await world.advance(24 * 3_600_000)
    await world.faults([
      { kind: 'daily-limit', operation: 'whiteboard_sessions.get', after: 30, count: 1 },
    ])
    const [first] = await world.sync({ jobs: whiteboards })
    expect(first?.state).toBe('paused')
    const { complete = 0, notRead = 0 } = first?.slices.whiteboard_activities ?? {}
    expect(notRead).toBeGreaterThan(0)
    await world.faults([])
    await world.advance(24 * 3_600_000)
    const [second] = await world.sync({ jobs: whiteboards })
    expect(second?.state).toBe('complete')
    // Only the newest window: the others were read by the first run of the chain.
    expect(second?.slices.whiteboard_sessions?.planned ?? 0).toBeLessThanOrEqual(1)
    expect(second?.slices.whiteboard_activities?.planned).toBeLessThanOrEqual(notRead)
    expect(complete).toBeGreaterThan(0)
  })
})
