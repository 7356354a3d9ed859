import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { icebergManifests, icebergMetadata } from 'icebird'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listenAtPoints } from '../../../src/core/kill-point.ts'
import { dayColumnOf } from '../../../src/report/lake/changed-days.ts'
import { createLakeFolder } from '../../../src/store/lake-folder.ts'
import { POINTS } from '../../helpers/kill-points.ts'
import { openWorld, TINY } from '../../helpers/world.ts'
import {
  exportStream,
  inMillis,
  type LakeStage,
  rowsInFiles,
  rowsInTable,
  rowsOfReader,
  streamOf,
} from './lake-stage.ts'
import { rowsInLake, servedLake } from './read-lake.ts'

const STEPS = POINTS.filter((name) => name.startsWith('lake:'))
let stage: LakeStage
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-lake-'))
  const world = await openWorld({ sizes: TINY, accounts: [{}, {}] })
  await world.sync()
  const lake = createLakeFolder(join(folder, 'lake'))
  vi.stubGlobal('fetch', servedLake(lake, fetch))
  stage = { world, lake, directory: join(folder, 'out') }
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await stage.world.close()
  await rm(folder, { recursive: true })
})

const tableOf = (name: string) => join(folder, 'lake/svc', name)

async function filesOf(name: string): Promise<string[]> {
  const manifests = await icebergManifests(await icebergMetadata({ tableUrl: tableOf(name) }))
  return manifests.flatMap(({ entries }) =>
    entries.flatMap(({ status, data_file }) => (status === 2 ? [] : [data_file.file_path])),
  )
}

async function readByOthers(name: string) {
  return {
    icebird: rowsOfReader(await rowsInLake(tableOf(name)), name),
    duckdb: await rowsInFiles(await filesOf(name), name),
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : 1)
const dayIn = (path: string) => /day=([^/]+)/.exec(path)?.[1] ?? ''

/** The days of the current snapshot, oldest first. */
const daysOf = async (name: string) => (await filesOf(name)).map(dayIn).toSorted()

/** Changes the rows of a day, or of the whole table. */
async function change(name: string, set: RawBuilder<unknown>, day?: string): Promise<void> {
  const column = sql.id(dayColumnOf(streamOf(name)))
  const of =
    day === undefined ? sql`true` : sql`(${column} at time zone 'UTC')::date = ${day}::date`
  const update = sql`update ${sql.id('svc', name)} set ${set} where ${of}`
  const { numAffectedRows = 0n } = await update.execute(stage.world.warehouse.db)
  expect(Number(numAffectedRows)).toBeGreaterThan(0)
}

/** Runs an export that stops for ever at a failpoint, as if its process had been killed there. */
async function dieAt(step: string, run: () => Promise<unknown>): Promise<void> {
  const died = Promise.withResolvers<void>()
  listenAtPoints((name) => {
    if (name !== step) return undefined
    died.resolve()
    return new Promise<void>(() => {})
  })
  try {
    await Promise.race([died.promise, run().then(() => expect.fail(`no ${step}`))])
  } finally {
    listenAtPoints(undefined)
  }
}

const allFiles = async (name: string) =>
  (await readdir(tableOf(name), { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map((one) => one.name)
    .toSorted()

it('two independent readers find the rows of Postgres in a lake table', async () => {
  let looked = 0
  for (const name of ['users', 'phone_numbers', 'session_reports', 'whiteboards']) {
    const done = await exportStream(stage, name)
    const expected = await rowsInTable(stage.world, name)
    expect([name, done.rows, done.snapshot?.version]).toEqual([name, expected.length, 1])
    expect(await readByOthers(name)).toEqual({ icebird: inMillis(expected), duckdb: expected })
    looked += expected.length
  }
  expect(looked).toBeGreaterThan(100)
})

it('an export writes nothing if nothing changed', async () => {
  const before = await allFiles('users')
  expect(await exportStream(stage, 'users')).toMatchObject({ snapshot: undefined, written: 0 })
  expect(await allFiles('users')).toEqual(before)
})

it('an export writes only changed days, keeps the old snapshot, and drops deleted rows', async () => {
  const name = 'session_reports'
  const before = await rowsInTable(stage.world, name)
  const [old, days] = [await filesOf(name), await daysOf(name)]
  const [first, second, third] = days
  await change(name, sql`session_name = 'renamed'`, first)
  await change(name, sql`_deleted_at = callsheet.clock(), _deleted_run_id = 1`, second)
  const expected = await rowsInTable(stage.world, name)
  expect(expected.length).toBeLessThan(before.length)
  const done = await exportStream(stage, name)
  expect(done).toMatchObject({ rows: expected.length, snapshot: { version: 2 } })
  const now = await filesOf(name)
  const fresh = now.filter((path) => !old.includes(path))
  expect(fresh).toHaveLength(1)
  expect(fresh[0]).toContain(`/day=${first}/`)
  expect(
    old
      .filter((path) => !now.includes(path))
      .map(dayIn)
      .toSorted(),
  ).toEqual([first, second])
  expect(now.map(dayIn)).toContain(third)
  expect(await readByOthers(name)).toEqual({ icebird: inMillis(expected), duckdb: expected })
  expect(rowsOfReader(await rowsInLake(tableOf(name), 1), name)).toEqual(inMillis(before))
})

it('a snapshot says whether its table is whole, and a change of that makes a snapshot', async () => {
  const { snapshots } = await icebergMetadata({ tableUrl: tableOf('phone_numbers') })
  expect(snapshots?.map(({ summary }) => summary)).toEqual([
    expect.objectContaining({ operation: 'append', 'callsheet.whole': 'true' }),
  ])
  const state = (text: string) =>
    sql`update callsheet.slices set state = ${text} where stream = 'phone_numbers'`.execute(
      stage.world.warehouse.db,
    )
  await state('failed')
  try {
    const done = await exportStream(stage, 'phone_numbers')
    expect(done).toMatchObject({ whole: false, written: 0, snapshot: { version: 2 } })
    expect(done.verdict).toContain('NOT complete')
  } finally {
    await state('complete')
  }
  const after = await icebergMetadata({ tableUrl: tableOf('phone_numbers') })
  expect(after.snapshots?.at(-1)?.summary).toMatchObject({
    'callsheet.whole': 'false',
    'callsheet.verdict': expect.stringContaining('NOT complete'),
  })
})

it('a lake table has the rows of two accounts, and an export replaces those of one alone', async () => {
  const name = 'users'
  const both = ['account-0', 'account-1']
  await stage.world.sync({ account: stage.world.open(1) })
  const other = await exportStream(stage, name, 'account-1')
  expect(other).toMatchObject({ written: 1, removed: 0, snapshot: { version: 2 } })
  await change(name, sql`dept = 'moved'`)
  expect(await exportStream(stage, name)).toMatchObject({ removed: 1, snapshot: { version: 3 } })
  await exportStream(stage, name, 'account-1')
  const expected = (await rowsInTable(stage.world, name, both)).toSorted(compare)
  expect(expected.length).toBeGreaterThan((await rowsInTable(stage.world, name)).length)
  const { icebird, duckdb } = await readByOthers(name)
  expect(duckdb.toSorted(compare)).toEqual(expected)
  expect(icebird.toSorted(compare)).toEqual(inMillis(expected))
})

describe('an export that dies', () => {
  const name = 'whiteboards'
  it.each(STEPS)(
    'at %s leaves a readable snapshot, and the next one completes it',
    async (step) => {
      const before = await readByOthers(name)
      await change(name, sql`whiteboard_name = whiteboard_name || ${` ${step}`}`)
      const expected = await rowsInTable(stage.world, name)
      await dieAt(step, () => exportStream(stage, name))
      const seen = await readByOthers(name)
      const isNew = JSON.stringify(seen) !== JSON.stringify(before)
      expect(isNew).toBe(step === 'lake:hint')
      await exportStream(stage, name)
      expect(await readByOthers(name)).toEqual({ icebird: inMillis(expected), duckdb: expected })
      expect(await exportStream(stage, name)).toMatchObject({ snapshot: undefined })
    },
  )
})

it('one of two exports of a table at the same time is refused', async () => {
  await change('whiteboards', sql`whiteboard_name = whiteboard_name || ' twice'`)
  const codes = await Promise.all(
    [1, 2].map(() =>
      exportStream(stage, 'whiteboards').then(
        () => 'done',
        (error: { code?: string }) => error.code,
      ),
    ),
  )
  expect(new Set(codes)).toEqual(new Set(['done', 'lake_busy']))
  expect((await readByOthers('whiteboards')).duckdb).toEqual(
    await rowsInTable(stage.world, 'whiteboards'),
  )
})

it('an export refuses a lake that another database or program wrote', async () => {
  const refused = (path: string) =>
    expect(exportStream({ ...stage, lake: createLakeFolder(path) }, 'users')).rejects.toMatchObject(
      { code: 'lake_foreign', exitCode: 2 },
    )
  const moved = join(folder, 'moved')
  await cp(join(folder, 'lake'), moved, { recursive: true })
  await refused(moved)
  await rm(join(moved, 'svc/users/metadata/version-hint.text'))
  await refused(moved)
  const next = join(tableOf('users'), 'metadata/v5.metadata.json')
  await writeFile(next, '{}')
  await refused(join(folder, 'lake'))
  await rm(next)
})
