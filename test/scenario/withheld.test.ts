import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import job from '../../jobs/whiteboards.ts'
import type { Job } from '../../src/core/declare/job.ts'
import type { RunResult } from '../../src/engine/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

const LISTS = ['whiteboard_collaborators', 'whiteboard_content']
const boards: Job = { ...job, streams: job.streams.filter(({ name }) => name === 'whiteboards') }
let world: World
beforeEach(async () => {
  // A hundred and twenty boards in six months.
  world = await openWorld({ sizes: { ...TINY, whiteboards: 360 } })
})
afterEach(() => world.close())

test('neighbours that are withheld, even whole bundles of them, keep no other list unread', async () => {
  await run(boards)
  const all = await boardsInOrder()
  expect(all).toHaveLength(120)
  await withhold(all.slice(0, 60), true)
  const first = await run()
  expect(first).toMatchObject({ state: 'complete', notAllowed: {} })
  expect(first.problems).toHaveLength(2)
  for (const name of LISTS) {
    expect(first.slices[name]).toMatchObject({ planned: 120, complete: 120 })
    expect(first.problems).toContainEqual(
      expect.stringMatching(`^${name}: 60 lists are not for us to read; the others were read`),
    )
  }
  expect(first.tables.whiteboard_content?.present).toBe(60)
  const before = calls()
  expect(await run()).toMatchObject({ state: 'complete', problems: [] })
  expect(calls()).toEqual(before)
  await withhold(all.slice(0, 60), false)
  expect(await run()).toMatchObject({ state: 'complete', problems: [] })
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams: job.streams })
})

test('where lists were answered before, a night of nothing but withheld ones is told as these', async () => {
  await run()
  const some = (await boardsInOrder()).slice(20, 75)
  await withhold(some, true)
  const night = await run()
  expect(night).toMatchObject({ state: 'complete', notAllowed: {} })
  expect(night.slices.whiteboard_content).toMatchObject({ planned: 55, complete: 55 })
  expect(night.problems[0]).toContain('55 lists are not for us to read; no other was read')
  expect(night.problems.join()).not.toContain('the others were read')
  expect(night.tables.whiteboard_content).toMatchObject({ deleted: 0, present: 120 })
  const before = calls()
  expect(await run()).toMatchObject({ state: 'complete', problems: [] })
  expect(calls()).toEqual(before)
})

test('where not one of all is for us, the lists that were not asked for come first next time', async () => {
  await world.close()
  world = await openWorld({ sizes: { ...TINY, whiteboards: 700 } })
  await run(boards)
  const all = await boardsInOrder()
  expect(all.length).toBeGreaterThan(210)
  await withhold(all.slice(0, 205), true)
  const first = await run()
  expect(Object.keys(first.notAllowed).sort()).toEqual(LISTS)
  expect(first.slices.whiteboard_content).toMatchObject({ complete: 0, notAllowed: all.length })
  expect(calls()[1]).toBe(200)
  const second = await run()
  expect(second).toMatchObject({ state: 'complete', notAllowed: {} })
  expect(second.slices.whiteboard_content).toMatchObject({ complete: all.length })
  expect(second.tables.whiteboard_content?.present).toBe(all.length - 205)
})

async function run(one: Job = job): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [one] })
  if (result === undefined) throw new Error('No run')
  return result
}

async function boardsInOrder(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select whiteboard_id as id from svc.whiteboards order by created_date, 1`.execute(
    world.warehouse.db,
  )
  return rows.map(({ id }) => id)
}

let edits = 0
async function withhold(ids: readonly string[], withheld: boolean): Promise<void> {
  const modifiedMs = Date.parse(WORLD_NOW) - 3_600_000 + 1_000 * ++edits
  const ops = ids.map((id) => {
    return { kind: 'boards', action: 'change', id, patch: { withheld, modifiedMs } }
  })
  await world.mutate({ ops })
}

function calls(): (number | undefined)[] {
  const { operations } = world.sandbox.stats()
  return [operations['whiteboard_collaborators.list'], operations['whiteboard_content.get']]
}
