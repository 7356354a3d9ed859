import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, type World } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)
const nested = new Set(streams.flatMap(({ name, sync }) => (sync.kind === 'nested' ? [name] : [])))
let world: World

beforeAll(async () => {
  world = await openWorld({ accounts: [{}, {}] })
})
afterAll(() => world.close())

test('a first sync makes the tables equal to the service, row for row', async () => {
  const results = await world.sync()
  expect(results.map(({ job, state, problems }) => ({ job, state, problems }))).toEqual(
    jobs.map(({ name }) => ({ job: name, state: 'complete', problems: [] })),
  )
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
})

test('a second sync of an unchanged account writes no row', async () => {
  const before = await stamps()
  const results = await world.sync({ full: true })
  for (const [name, { inserted, updated, deleted, unchanged }] of tablesOf(results))
    expect({ name, inserted, updated, deleted, read: unchanged > 0 }).toEqual({
      name,
      inserted: 0,
      updated: 0,
      deleted: 0,
      // Nested rows of an unchanged record are not read, so they are not compared either.
      read: !nested.has(name),
    })
  expect(await stamps()).toEqual(before)
})

test('after a night of changes, the sync finds exactly these changes, including deletions', async () => {
  const changes = await world.mutate()
  const results = await world.sync()
  expect(results.flatMap(({ problems }) => problems)).toEqual([])
  const found = Object.fromEntries(
    tablesOf(results).map(([name, { inserted, updated, deleted }]) => [
      name,
      { inserted, updated, deleted },
    ]),
  )
  const none = { inserted: 0, updated: 0, deleted: 0 }
  for (const { name } of streams)
    expect({ name, ...found[name] }).toEqual({ name, ...none, ...changes[name] })
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
  // Only nested rows of new or changed records were compared.
  const compared = tablesOf(results).filter(([name]) => nested.has(name))
  for (const [name, { unchanged, present }] of compared)
    expect({ name, all: unchanged >= (present ?? 0) }).toEqual({ name, all: false })
  expect(compared.some(([, { unchanged }]) => unchanged > 0)).toBe(true)
})

test('a second account with the same IDs is kept separate', async () => {
  const other = world.open(1)
  const results = await world.sync({ account: other })
  expect(results.every(({ state }) => state === 'complete')).toBe(true)
  const accountId = world.sandbox.credentials[1]?.accountId ?? ''
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-1', accountId, streams })
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
})

function tablesOf(results: readonly RunResult[]) {
  return results.flatMap(({ tables }) => Object.entries(tables))
}

/** A digest of each row's place and writing transaction, which a rewrite changes. */
async function stamps(): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for (const { name } of streams) {
    const { rows } = await sql<{ stamp: string }>`
      select count(*) || ' ' || md5(string_agg(ctid::text || xmin::text, ',' order by ctid)) as stamp
      from ${sql.id('svc', name)}`.execute(world.warehouse.db)
    all[name] = rows[0]?.stamp ?? ''
  }
  return all
}
