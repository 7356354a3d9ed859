import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tablesWith } from '../erasure/stage.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { endsOf, expectPart, type Moves, PLANTED, ROWS, shapeAnswers } from './part-world.ts'

const SIZES = { ...TINY, users: 120, numbers: 60 }

async function open(rows: object = ROWS) {
  const moves: Moves = new Map()
  const world = await openWorld({ sizes: SIZES, altered: true, settings: { rows } })
  world.ways.tell = shapeAnswers({ moves })
  return { world, moves }
}

const problemsOf = (runs: readonly { problems: readonly string[] }[]): string[] =>
  runs.flatMap(({ problems }) => problems)

describe('an account that keeps a part', () => {
  let world: World
  let moves: Moves
  beforeAll(async () => {
    ;({ world, moves } = await open())
  })
  afterAll(() => world.close())

  it('stores exactly the part, and counts the other records', async () => {
    const runs = await world.sync()
    expect(problemsOf(runs)).toEqual([])
    expect(runs.map(({ state }) => state)).toEqual(runs.map(() => 'complete'))
    const { kept, outside } = await expectPart(world)
    expect(Math.min(kept.size, outside.size)).toBeGreaterThan(20)
    for (const stream of ['users', 'phone_numbers']) {
      const counts = runs.flatMap(({ tables }) => tables[stream] ?? [])[0]
      const { rows } = await sql<Record<string, number>>`
        select sum(received)::int as received, sum(outside)::int as outside,
          sum(inserted + unchanged + quarantined + ignored)::int as others
        from callsheet.slices where stream = ${stream}`.execute(world.warehouse.db)
      const { received = 0, outside: apart = 0, others = 0 } = rows[0] ?? {}
      expect([stream, others + apart]).toEqual([stream, received])
      expect([stream, counts?.outside, counts?.ignored]).toEqual([stream, apart, 0])
      expect(apart).toBeGreaterThan(10)
    }
  })

  it('requests details of stored rows only', async () => {
    const { rows } = await sql<{ stream: string; lists: number; parents: number }>`
      select 'user_details' as stream, (select count(*)::int from callsheet.slices
          where stream = 'user_details') as lists,
        (select count(*)::int from svc.users where not starts_with(id, 'pending:')) as parents
      union all select 'phone_number_details', (select count(*)::int from callsheet.slices
          where stream = 'phone_number_details'), (select count(*)::int from svc.phone_numbers)`.execute(
      world.warehouse.db,
    )
    for (const { stream, lists, parents } of rows)
      expect([stream, lists]).toEqual([stream, parents])
  })

  it('has no content of a record outside the part in any table', async () => {
    expect(await tablesWith(world.warehouse, [PLANTED])).toEqual([])
  })

  it('removes rows that leave the part, and their details, and counts none of them as deleted', async () => {
    const { kept, outside } = await expectPart(world)
    const named = (keys: Set<string>) => [...keys].filter((id) => /^(?!pending:)/.test(id))
    const { rows } = await sql<{ id: string }>`select id from svc.user_details`.execute(
      world.warehouse.db,
    )
    const members = rows.map(({ id }) => id)
    const leaving = members.slice(0, 3)
    for (const id of leaving) moves.set(id, 'Finance')
    const users = new Set<string>()
    for await (const { id } of world.sandbox.truth('users')) users.add(String(id))
    const joining = named(outside)
      .filter((id) => users.has(id))
      .slice(0, 2)
    for (const id of joining) moves.set(id, 'Sales')
    expect(named(kept)).toEqual(expect.arrayContaining(leaving))
    await world.advance(86_400_000)
    const runs = await world.sync()
    expect(problemsOf(runs)).toEqual([])
    await expectPart(world, { moves })
    expect(await endsOf(world, leaving)).toEqual(leaving.map(() => 'left'))
    const counts = runs.flatMap(({ tables }) => [tables.users, tables.user_details])
    expect(counts.flatMap((one) => (one ? [[one.left, one.deleted]] : []))).toEqual([
      [3, 0],
      [3, 0],
    ])
    const gone = sql`select id from svc.users where id = any(${leaving}::text[])
      union all select id from svc.user_details where id = any(${leaving}::text[])`
    expect((await gone.execute(world.warehouse.db)).rows).toEqual([])
  })

  it('stores a record again that comes back into the part', async () => {
    const back = [...moves.keys()].slice(0, 1)
    for (const id of back) moves.set(id, 'Legal')
    await world.advance(86_400_000)
    const runs = await world.sync()
    expect(problemsOf(runs)).toEqual([])
    await expectPart(world, { moves })
    expect(await endsOf(world, back)).toEqual(['left'])
  })

  it('marks what is deleted in the part as deleted, and nothing that is deleted outside', async () => {
    const before = await expectPart(world, { moves })
    const remove = (kind: string, indexes: readonly number[]) =>
      indexes.map((index) => ({ kind, action: 'remove', index }))
    const ops = [
      ...remove('users', [...Array(16).keys()]),
      ...remove('numbers', [...Array(6).keys()]),
    ]
    await world.mutate({ ops })
    await world.advance(86_400_000)
    const runs = await world.sync()
    expect(problemsOf(runs)).toEqual([])
    const after = await expectPart(world, { moves })
    const isGone = (id: string): boolean => !after.kept.has(id)
    const gone = [...before.kept].filter(isGone).toSorted()
    const { rows } = await sql<{
      id: string
    }>`select id from svc.users where _deleted_at is not null
      union all select id from svc.phone_numbers where _deleted_at is not null`.execute(
      world.warehouse.db,
    )
    expect(rows.map(({ id }) => id).toSorted()).toEqual(gone)
    expect(gone.length).toBeGreaterThan(2)
    expect([...before.outside].length - [...after.outside].length).toBeGreaterThan(5)
  })
})
