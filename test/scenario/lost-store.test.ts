import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { findLostFiles } from '../../src/archive/find-lost-files.ts'
import { noArchive } from '../../src/archive/result.ts'
import { activityFiles } from '../../src/resources/whiteboard-archives.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { fileRows } from '../helpers/archive-files.ts'
import { archiveFilesOf } from '../helpers/scarce-calls.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
afterEach(() => world.close())

const DOWNLOAD = 'whiteboard_sessions.download'
const archive = (retry = false) => archiveFilesOf(world, [whiteboardArchives], retry)
const downloads = () => world.sandbox.stats().operations[DOWNLOAD] ?? 0
const files = () => join(dirname(world.place.configFile), 'archive', 'account-0', 'files')

/** Opens a world whose files are all stored, and returns their digests. */
async function open(): Promise<string[]> {
  world = await openWorld({ sizes: { ...TINY, activities: 400 }, archive: { files: true } })
  await world.sync({ jobs: [whiteboardArchives] })
  const rows = await fileRows(world.warehouse)
  const digests = rows.flatMap(({ sha256 }) => (sha256 === null ? [] : [sha256]))
  return [...new Set(digests)]
}

it('an unmounted store is reported, and its files are not fetched again', async () => {
  const stored = await open()
  expect(stored.length).toBeGreaterThan(60)
  const before = downloads()
  renameSync(files(), `${files()}-elsewhere`)
  mkdirSync(files())
  for (const turn of [1, 2]) {
    const run = await archive()
    expect({ turn, state: run.state }).toEqual({ turn, state: 'incomplete' })
    const told = run.problems.join()
    expect(told).toContain(`${stored.length} of ${stored.length} contents are missing or damaged`)
    expect(told).toContain(join('archive', 'account-0'))
    expect(told).toMatch(/mounted.*callsheet archive --retry/s)
  }
  expect(downloads()).toBe(before)
  // Files that a verification has marked as lost wait for a person too.
  await sql`update callsheet.files set lost = 'wanted' where state = 'stored'`.execute(
    world.warehouse.db,
  )
  expect((await archive()).state).toBe('incomplete')
  expect(downloads()).toBe(before)
  renameSync(files(), `${files()}-empty`)
  renameSync(`${files()}-elsewhere`, files())
  expect(await archive()).toMatchObject({ state: 'complete', problems: [], files: { stored: 0 } })
})

it('permanently lost files are fetched again on request', async () => {
  const stored = await open()
  const store = await world.account.deps.archive!.store()
  for (const digest of stored) await store.remove(digest)
  await store.flush()
  expect((await archive()).files).toMatchObject({ stored: 0 })
  const run = await archive(true)
  expect(run.state).toBe('complete')
  expect(run.files.stored).toBeGreaterThanOrEqual(stored.length)
  expect(await archive()).toMatchObject({ state: 'complete', problems: [], files: { stored: 0 } })
})

it('a run reports if it does not check every stored file', async () => {
  await open()
  const { deps } = world.account
  const lease = await acquireLease(world.warehouse, {
    account: 'account-0',
    job: 'a test',
    clock: deps.clock,
  })
  const source = activityFiles
  const scope = { account: 'account-0', kind: source.kind, runId: 1 }
  const { signal } = new AbortController()
  const of = { account: 'account-0', runId: 1, lease, source, signal, scope }
  const work = { ...deps, ...of, archive: deps.archive!, result: noArchive() }
  await findLostFiles(work)
  expect(work.result).toMatchObject({ notes: [], problems: [] })
  await findLostFiles(work, 20)
  expect(work.result.problems).toEqual([])
  expect(work.result.notes).toEqual([
    expect.stringMatching(/^files: one run looks for 20 contents/),
  ])
  await lease.release()
})

it('forty lost files are fetched again, even if they are a large share', async () => {
  const stored = await open()
  const store = await world.account.deps.archive!.store()
  for (const digest of stored.slice(0, 40)) await store.remove(digest)
  await store.flush()
  const run = await archive()
  expect(run.state).toBe('complete')
  expect(run.files.stored).toBeGreaterThanOrEqual(40)
  expect(readdirSync(files()).length).toBeGreaterThan(0)
})
