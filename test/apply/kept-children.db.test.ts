import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import numbersJob from '../../jobs/phone-numbers.ts'
import boardsJob from '../../jobs/whiteboards.ts'
import { desired, jobs } from '../../src/account/catalog.ts'
import { desiredBoards } from '../../src/apply/desired/boards.ts'
import { desiredConsents } from '../../src/apply/desired/consents.ts'
import type { Job } from '../../src/core/define/job.ts'
import { partOf } from '../../src/sync/part-of-job.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { applyBench, wanted } from './apply-bench.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: { ...TINY, whiteboards: 60 } })
  await world.sync({ jobs: [numbersJob, boardsJob] })
})
afterAll(() => world.close())

describe('a child row of a row that an apply reads', () => {
  it('is inserted, updated and deleted with its number', async () => {
    const changes = await world.mutate({
      ops: [
        { kind: 'numbers', action: 'change', index: 0, patch: { assignee: 7 } },
        { kind: 'numbers', action: 'remove', index: 1 },
        { kind: 'numbers', action: 'add', patch: { assignee: 8 } },
      ],
    })
    expect(changes.phone_numbers).toEqual({ inserted: 1, updated: 1, deleted: 1 })
    expect(changes.phone_number_assignments?.inserted).toBeGreaterThan(0)
    expect(changes.phone_number_assignments?.deleted).toBeGreaterThan(0)
    await applyBench(world).plan(wanted(desiredConsents))
    await equalsService(numbersJob)
    const [after] = await world.sync({ jobs: [numbersJob] })
    expect(after).toMatchObject({ state: 'complete', problems: [] })
    await equalsService(numbersJob)
  })

  it('is deleted by the next sync if its board no longer exists', async () => {
    const { rows } = await sql<{ id: string; people: number }>`
      select b.whiteboard_id as id, count(c.*)::int as people
      from svc.whiteboards b join svc.whiteboard_collaborators c using (account, whiteboard_id)
      group by b.whiteboard_id, b.created_date order by b.created_date desc limit 1`.execute(
      world.warehouse.db,
    )
    const { id = '', people = 0 } = rows[0] ?? {}
    expect(people).toBeGreaterThan(0)
    await world.mutate({ ops: [{ kind: 'boards', action: 'remove', id }] })
    await applyBench(world).plan(wanted(desiredBoards))
    const [after] = await world.sync({ jobs: [boardsJob] })
    expect(after).toMatchObject({
      state: 'complete',
      tables: {
        whiteboards: { deleted: 0 },
        whiteboard_collaborators: { deleted: people },
        whiteboard_content: { deleted: 1 },
      },
    })
    await equalsService(boardsJob)
  })
})

it('an apply that reads a list also stores the nested records in it', () => {
  const kept = desired.flatMap(({ reads }) => {
    const parts = jobs.flatMap((job) => partOf(job, new Set(reads)))
    const names = parts.flatMap(({ streams }) => streams.map(({ name }) => name))
    expect(names).toEqual(expect.arrayContaining(reads.map(({ name }) => name)))
    const nestedStreams = jobs
      .flatMap(({ streams }) => streams)
      .filter(({ sync }) => sync.kind === 'nested' && names.includes(sync.parent.name))
    expect(names).toEqual(expect.arrayContaining(nestedStreams.map(({ name }) => name)))
    return nestedStreams.map(({ name }) => name)
  })
  expect(new Set(kept)).toContain('phone_number_assignments')
})

async function equalsService({ streams }: Job): Promise<void> {
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
}
