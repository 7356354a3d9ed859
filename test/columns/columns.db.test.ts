import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tablesWith } from '../erasure/stage.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { PLANTED, POLICY, plant } from './planted.ts'

const open = async (columns: object): Promise<World> => {
  const world = await openWorld({ sizes: TINY, altered: true, settings: { columns } })
  world.ways.tell = plant
  return world
}

describe('a column policy', () => {
  let world: World
  let problems: string[]
  beforeAll(async () => {
    world = await open(POLICY)
    problems = (await world.sync()).flatMap((run) => run.problems)
  })
  afterAll(() => world.close())

  it('lets no dropped or hashed value into any table', async () => {
    expect(problems).toEqual([])
    expect(await tablesWith(world.warehouse, [PLANTED])).toEqual([])
  })

  it('hashes equal values alike in all streams, and leaves dropped columns empty', async () => {
    const { rows } = await sql<object>`
      select count(*)::int as users, count(u.job_title)::int as titles,
        count(*) filter (where u.email ~ '^hmac:[0-9a-f]{64}$')::int as hashed,
        count(*) filter (where d._raw ->> 'email' = u.email)::int as alike,
        count(*) filter (where d.id is not null)::int as details
      from svc.users u left join svc.user_details d using (account, id)`.execute(world.warehouse.db)
    const { users, details } = rows[0] as Record<string, number>
    expect(rows).toEqual([{ users, titles: 0, hashed: users, alike: details, details }])
    expect(details).toBeGreaterThan(20)
  })

  it('lets an unchanged second sync write no row', async () => {
    const runs = await world.sync({ full: true })
    expect(runs.flatMap((run) => run.problems)).toEqual([])
    const written = runs.flatMap(({ job, tables }) =>
      Object.entries(tables).flatMap(([table, { inserted, updated, deleted }]) =>
        inserted + updated + deleted > 0 ? [{ job, table, inserted, updated, deleted }] : [],
      ),
    )
    expect(written).toEqual([])
  })

  it('keeps changed and deleted records free of the values', async () => {
    const changed = await world.mutate({ users: { updated: 5, deleted: 3, inserted: 2 } })
    expect(changed).toBeDefined()
    const runs = await world.sync({ full: true })
    expect(runs.flatMap((run) => run.problems)).toEqual([])
    expect(await tablesWith(world.warehouse, [PLANTED])).toEqual([])
  })
})

it('without a policy the same values are in the tables', async () => {
  const world = await open({})
  await world.sync()
  expect((await tablesWith(world.warehouse, [PLANTED])).length).toBeGreaterThan(8)
  await world.close()
})
