import { appendFileSync, chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { verifyEvidence } from '../../src/audit/verify/verify-evidence.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import { fileRows } from '../helpers/archive-files.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)
let world: World

beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
})
afterAll(() => world.close())

const folder = () => join(dirname(world.place.configFile), 'archive', 'account-0')
const verify = async () =>
  await verifyEvidence(
    { warehouse: world.warehouse },
    {
      account: 'account-0',
      store: createDirectoryStore(folder()),
      streams,
      signal: new AbortController().signal,
      keys: [],
      keyPinned: false,
    },
  )

test('a full sync leaves files, entries and a checkpoint that agree', async () => {
  const results = await world.sync()
  expect(results.map(({ job, state, problems }) => ({ job, state, problems }))).toEqual(
    [...jobs.map(({ name }) => name), 'evidence'].map((job) => ({
      job,
      state: 'complete',
      problems: [],
    })),
  )
  const { rows } = await sql<{ records: number }>`
    select (select count(*) from svc.whiteboard_sessions)::int
      + (select count(*) from svc.whiteboard_activities)::int as records`.execute(
    world.warehouse.db,
  )
  const stored = (await fileRows(world.warehouse)).filter(({ state }) => state === 'stored')
  expect(stored.length).toBeGreaterThan(10)
  const proven = results.at(-1)?.evidence
  expect(proven).toMatchObject({ ...rows[0], files: stored.length, removals: 0, signed: 1 })
  const { findings, checked } = await verify()
  expect(findings).toEqual([])
  expect(checked).toMatchObject({ ...rows[0], files: stored.length, checkpoints: 1 })
  // Files are entered when they are stored, records after all jobs, and at last the baseline of earlier
  // statements.
  const { rows: order } = await sql<{ kind: string }>`
    select kind from callsheet.manifest group by kind order by max(seq)`.execute(world.warehouse.db)
  expect(order.map(({ kind }) => kind)).toEqual(['file', 'record', 'statement'])
})

test('every sync logs which slices it read, and a sync with changes also logs the changes', async () => {
  const idle = (await world.sync()).at(-1)?.evidence
  expect(idle).toMatchObject({ records: 0, files: 0, removals: 0, signed: 1 })
  expect(idle?.statements).toBeGreaterThan(0)
  await world.mutate({ scale: 4 })
  const results = await world.sync({ full: true })
  const { whiteboard_sessions: sessions, whiteboard_activities: activities } = Object.assign(
    {},
    ...results.map(({ tables }) => tables),
  ) as Record<string, { inserted: number; updated: number }>
  const versions = [sessions, activities].reduce(
    (sum, table) => sum + (table?.inserted ?? 0) + (table?.updated ?? 0),
    0,
  )
  expect(versions).toBeGreaterThan(0)
  expect(results.at(-1)).toMatchObject({ state: 'complete', evidence: { records: versions } })
  expect((await verify()).findings).toEqual([])
})

test('verify finds a stored file with one extra byte', async () => {
  const [file] = (await fileRows(world.warehouse)).filter(({ state }) => state === 'stored')
  const store = createDirectoryStore(folder())
  const path = store.pathOf?.(file?.sha256 ?? '') ?? ''
  chmodSync(path, 0o600)
  appendFileSync(path, '!')
  const { findings } = await verify()
  expect(findings.length).toBeGreaterThan(0)
  expect(JSON.stringify(findings)).toContain(file?.sha256)
})
