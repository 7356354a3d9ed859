import { afterEach, beforeEach, expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import { exitCodeOfRuns } from '../../src/cli/frame/exit-codes.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, type World } from '../helpers/world.ts'

/** Recordings of all windows were read; since then the service has lost some of each window. */
let world: World
beforeEach(async () => {
  world = await openWorld({ seed: 51 })
  await world.sync({ jobs: [recordings] })
  const ops = Array.from({ length: 15 }, (_, at) => ({
    kind: 'recordings',
    action: 'remove',
    index: at * 8,
  }))
  await world.mutate({ ops })
})
afterEach(() => world.close())

async function expectWhole(full: boolean): Promise<void> {
  const [next] = await world.sync({ jobs: [recordings], full })
  expect(next).toMatchObject({ state: 'complete', problems: [] })
  await expectTruth(world.warehouse, world.sandbox, {
    account: 'account-0',
    streams: recordings.streams,
  })
}

test('the next run reads the windows of a paused group again', async () => {
  await world.faults([{ kind: 'daily-limit', operation: 'recordings.list', after: 10, count: 1 }])
  const [cut] = await world.sync({ jobs: [recordings], full: true })
  expect(cut?.state).toBe('paused')
  await world.faults([])
  await world.advance(24 * 3_600_000)
  await expectWhole(true)
})

test('the next run reads windows again if their missing rows could not be checked', async () => {
  await world.faults([{ kind: 'status', status: 500, operation: 'recordings.get' }])
  const [unsure] = await world.sync({ jobs: [recordings], full: true })
  expect(unsure?.state).toBe('incomplete')
  expect(unsure?.problems.join()).toContain('could not check whether missing rows are deleted')
  await world.faults([])
  await expectWhole(false)
})

test('the next run checks the missing rows that the daily quota left unchecked', async () => {
  await world.faults([{ kind: 'daily-limit', operation: 'recordings.get', after: 5, count: 1 }])
  const results = await world.sync({ jobs: [recordings], full: true })
  expect(results[0]).toMatchObject({ state: 'paused' })
  expect(results[0]?.problems.join()).toContain('could not check whether missing rows are deleted')
  expect(exitCodeOfRuns(results)).toBe(3)
  await world.faults([])
  await world.advance(24 * 3_600_000)
  await expectWhole(false)
})
