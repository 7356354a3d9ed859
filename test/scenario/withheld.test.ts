import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import job from '../../jobs/whiteboards.ts'
import type { Job } from '../../src/core/define/job.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { readStatus } from '../../src/serve/health/read-status.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
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

test('many withheld boards do not stop the other lists from being read', async () => {
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
      expect.stringMatching(
        `^${name}: 60 lists are not readable for this account; the others were read`,
      ),
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

test('lists that were read before and are now withheld leave the run incomplete', async () => {
  await run()
  const some = (await boardsInOrder()).slice(20, 75)
  await withhold(some, true)
  const night = await run()
  expect(night).toMatchObject({ state: 'incomplete', notAllowed: {} })
  expect(night.slices.whiteboard_content).toMatchObject({ planned: 55, complete: 55 })
  const text = night.problems.join('\n')
  expect(text).toContain('55 lists are not readable for this account; no list was read')
  expect(text).not.toContain('the others were read')
  for (const name of LISTS) expect(text).toContain(`${name}: 55 of 120 lists were read before`)
  expect(night.tables.whiteboard_content).toMatchObject({ deleted: 0, present: 120 })
  // The lists are not requested each night, and each run stays incomplete.
  const before = calls()
  expect(await run()).toMatchObject({ state: 'incomplete' })
  expect(calls()).toEqual(before)
  expect(await takenLists()).toEqual({ lists: 55, of: 120 })
})

test('a revoked permission leaves every run incomplete until it is granted again', async () => {
  await run()
  const all = await boardsInOrder()
  await withhold(all, true)
  for (let night = 0; night < 3; night++) {
    expect(await run()).toMatchObject({ state: 'incomplete' })
    await world.advance(2 * DAY_MS)
  }
  // A failed night in between does not erase that the lists were read once.
  await world.advance(2 * DAY_MS)
  const failing = { operation: 'whiteboard_content.get', kind: 'status', status: 500 }
  await world.faults([failing])
  expect((await run()).state).not.toBe('complete')
  await world.faults([])
  expect(await run()).toMatchObject({ state: 'incomplete' })
  expect(await takenLists()).toEqual({ lists: 120, of: 120 })
  await world.advance(6 * DAY_MS)
  const asked = calls()
  await world.mutate({ ops: all.map((id) => board(id, { withheld: false })) })
  await world.advance(2 * DAY_MS)
  expect(await run()).toMatchObject({ state: 'complete', problems: [] })
  expect(calls()).toEqual(asked.map((times) => (times ?? 0) + all.length))
  expect(await takenLists()).toMatchObject({ lists: 0 })
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams: job.streams })
})

test('if every list is withheld, the next run starts with the lists not yet requested', async () => {
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
  await world.mutate({ ops: ids.map((id) => board(id, { withheld, modifiedMs })) })
}

const board = (id: string, patch: object) => ({ kind: 'boards', action: 'change', id, patch })

/** The withdrawn lists of the boards' content, as `status` shows them. */
async function takenLists(): Promise<object | undefined> {
  const scope = { account: 'account-0', jobs: [job], nowMs: Date.parse(WORLD_NOW) }
  const { jobs } = await readStatus(world.warehouse, scope)
  return jobs[0]?.streams.find(({ stream }) => stream === 'whiteboard_content')?.taken
}

function calls(): (number | undefined)[] {
  const { operations } = world.sandbox.stats()
  return [operations['whiteboard_collaborators.list'], operations['whiteboard_content.get']]
}
