import { afterEach, expect, test } from 'vitest'
import whiteboardsJob from '../../jobs/whiteboards.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const account = 'account-0'
let world: World
afterEach(() => world.close())

async function sync(full = false): Promise<RunResult> {
  const [run] = await world.sync({ jobs: [whiteboardsJob], full })
  if (run === undefined) throw new Error('there was no run')
  return run
}

async function callsOf(work: () => Promise<unknown>): Promise<number> {
  const count = () => world.sandbox.stats().operations['whiteboards.list'] ?? 0
  const before = count()
  await work()
  return count() - before
}

test.each(['ignored', 'refused'] as const)(
  'if date ranges are %s, the whole board list is read and proves deletions',
  async (boardWindows) => {
    world = await openWorld({ sizes: TINY, readings: { boardWindows } })
    const streams = [whiteboards]
    expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
    await expectTruth(world.warehouse, world.sandbox, { account, streams })
    await world.advance(86_400_000)
    const calls = await callsOf(async () => {
      expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
    })
    expect(calls).toBeLessThanOrEqual(6)
    const { rows } = await boards()
    const id = rows[0]?.whiteboard_id
    await world.mutate({ ops: [{ kind: 'boards', action: 'remove', id }] })
    await world.advance(86_400_000)
    expect(await sync()).toMatchObject({
      state: 'complete',
      tables: { whiteboards: { deleted: 1 } },
    })
    await expectTruth(world.warehouse, world.sandbox, { account, streams })
    await world.faults([{ kind: 'empty-list', operation: 'whiteboards.list' }])
    expect(await sync(true)).toMatchObject({
      state: 'incomplete',
      tables: { whiteboards: { deleted: 0 } },
    })
  },
)

test('one odd record does not make a service count as ignoring date ranges', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  await sync()
  const { rows } = await boards()
  world.ways.tell = ({ path, query }, { body }) => {
    const page = body as { whiteboards?: object[]; total_records?: number }
    if (!path.endsWith('/whiteboards') || page.whiteboards === undefined) return
    if (query.get('date_filter_type') !== 'created_date' || page.whiteboards.length === 0) return
    page.whiteboards.push({
      ...rows[0],
      whiteboard_id: 'odd',
      created_date: '2019-01-01T00:00:00Z',
    })
    page.total_records = page.whiteboards.length
  }
  const run = await sync(true)
  expect(run).toMatchObject({ tables: { whiteboards: { deleted: 0, present: rows.length } } })
  expect(run.slices.whiteboards?.planned).toBeGreaterThan(100)
})

test('a board that appears only in another window is not deleted', async () => {
  world = await openWorld({ sizes: { ...TINY, boards: 40 }, altered: true })
  await sync()
  const { rows } = await boards()
  const [oldest] = rows
  world.ways.tell = ({ path, query }, { body }) => {
    const page = body as { whiteboards?: { whiteboard_id: string }[]; total_records?: number }
    if (!path.endsWith('/whiteboards') || page.whiteboards === undefined) return
    if (query.get('date_filter_type') !== 'created_date') return
    const isMoved = ({ whiteboard_id: id }: { whiteboard_id: string }) =>
      id === oldest?.whiteboard_id
    page.whiteboards = page.whiteboards.filter((one) => !isMoved(one))
    // Later windows with several boards show the oldest board as well.
    const isLater = new Date(query.get('from') ?? '') > new Date(oldest?.created_date ?? '')
    if (isLater && page.whiteboards.length > 1 && oldest !== undefined)
      page.whiteboards.push(oldest)
    if (page.total_records !== undefined) page.total_records = page.whiteboards.length
  }
  expect(await sync(true)).toMatchObject({
    tables: { whiteboards: { deleted: 0, present: rows.length } },
  })
  delete world.ways.tell
  expect(await sync(true)).toMatchObject({ state: 'complete', problems: [] })
  await expectTruth(world.warehouse, world.sandbox, { account, streams: [whiteboards] })
})

async function boards() {
  const rows = await world.warehouse.db
    .selectFrom('svc.whiteboards')
    .select(['whiteboard_id', 'modified_date', 'created_date'])
    .orderBy('created_date')
    .execute()
  return { rows }
}
