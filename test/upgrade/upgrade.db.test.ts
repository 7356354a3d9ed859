import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { migrations } from '../../src/account/migrations.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { type Migrations, migrate } from '../../src/warehouse/migrate.ts'
import { emptyDatabase } from '../helpers/database.ts'
import { strayStates } from '../helpers/slice-states.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { changedSince, dump, madeBy, migrationFiles, restore } from './dump.ts'

/** One for each release that had migrations of its own; `npm run release` makes it. */
const DUMPS = globSync('*.jsonl.gz', { cwd: import.meta.dirname }).toSorted()
const RELEASE = process.env.CALLSHEET_RELEASE
const COMPANY = { seed: 5, sizes: TINY }

let world: World | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})

const fileOf = (name: string): string => join(import.meta.dirname, name)

it.runIf(RELEASE !== undefined)('a dump of a release can be made', async () => {
  const files = migrationFiles()
  const covers = (name: string) => isDeepStrictEqual(madeBy(readFileSync(fileOf(name))), files)
  const newest = `${RELEASE}.jsonl.gz`
  const there = DUMPS.filter(covers)
  if (there.length === 0) writeFileSync(fileOf(newest), await dumpOfToday())
  expect([...there, newest].some((name) => existsSync(fileOf(name)) && covers(name))).toBe(true)
})

describe.each(DUMPS)('the release with the dump %s', (name) => {
  const dumped = readFileSync(fileOf(name))

  it('was made by migrations that have not changed since', () => {
    expect(changedSince(dumped, migrationFiles())).toEqual([])
  })

  it('has a database that can be migrated to the current version', async () => {
    expect(await unchangedRows(dumped, migrations)).toBeGreaterThan(500)
  })
})

describe('the current database', () => {
  it('accepts an added migration, and names a changed migration', async () => {
    const later = {
      up: async (db: Parameters<Migrations[string]['up']>[0]) => {
        for (const schema of ['svc', 'history'])
          await sql`alter table ${sql.table(`${schema}.users`)} add column later text`.execute(db)
      },
    }
    const dumped = await dumpOfToday()
    const files = migrationFiles()
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([...Object.keys(migrations), 'frozen/data-tables']),
    )
    expect(changedSince(dumped, { ...files, '9999_later': 'new' })).toEqual([])
    expect(changedSince(dumped, { ...files, '0001_schemas': 'changed' })).toEqual(['0001_schemas'])
    const all = { ...migrations, '9999_later': later }
    expect(await unchangedRows(dumped, all)).toBeGreaterThan(500)
  })
})

/** Of an account that was read twice, changed and read again. */
async function dumpOfToday(): Promise<Buffer> {
  const made = await openWorld(COMPANY)
  try {
    for (const full of [false, true]) await made.sync({ full })
    await made.mutate()
    await made.sync({ full: true })
    return await dump(made.warehouse)
  } finally {
    await made.close()
  }
}

/**
 * All rows of the dump are there after the migrations, and a sync takes none of them for new or changed.
 * Returns how many it found unchanged.
 */
async function unchangedRows(dumped: Buffer, all: Migrations): Promise<number> {
  const database = await emptyDatabase()
  const warehouse = connect({ url: database.url, poolSize: 2 })
  const its = Object.keys(madeBy(dumped)).filter((name) => name in all)
  await migrate(
    warehouse,
    Object.fromEntries(Object.entries(all).filter(([name]) => its.includes(name))),
  )
  const counts = await restore(warehouse, dumped)
  expect([...counts.values()].filter((rows) => rows > 0).length).toBeGreaterThan(30)
  expect(await migrate(warehouse, all)).toEqual(
    Object.keys(all).filter((name) => !its.includes(name)),
  )
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from svc.users`.execute(
    warehouse.db,
  )
  expect(rows[0]?.n).toBe(counts.get('svc.users'))
  expect(await strayStates(warehouse.db)).toEqual([])
  await warehouse.close()

  world = await openWorld(COMPANY, database)
  await world.mutate()
  let unchanged = 0
  for (const run of await world.sync({ full: true })) {
    expect(run).toMatchObject({ state: 'complete', problems: [] })
    for (const table of Object.values(run.tables)) {
      expect(table).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
      unchanged += table.unchanged
    }
  }
  return unchanged
}
