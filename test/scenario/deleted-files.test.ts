import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import { fileRows, incidentsOf } from '../helpers/archive-files.ts'
import { archiveFilesOf } from '../helpers/scarce-calls.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const HOUR_MS = 3_600_000
const RECORDINGS = 30
let world: World
afterEach(() => world.close())

/** A world that has read all recordings and stored no file of them. */
const open = async (settings: object = {}) => {
  world = await openWorld({
    sizes: { ...TINY, recordings: RECORDINGS },
    archive: { files: false, recordings: true, recordingsDays: 3650, ...settings },
    recordingBytes: 30_000,
  })
  await world.faults([{ kind: 'status', operation: 'recordings.download' }])
  await sync()
  await world.faults([])
  expect(await statesOf()).toEqual({ pending: expect.any(Number) })
}
const sync = async (full = false) => (await world.sync({ jobs: [recordings], full }))[0]
const archive = (retry = false) => archiveFilesOf(world, [recordings], retry)
const remove = (many: number, at = 0) =>
  world.mutate({
    ops: Array.from({ length: many }, (_, index) => ({
      kind: 'recordings',
      action: 'remove',
      index: at + index,
    })),
  })
const statesOf = async () => {
  const counts: Record<string, number> = {}
  for (const { state } of await fileRows(world.warehouse, { kind: 'recording' }))
    counts[state] = (counts[state] ?? 0) + 1
  return counts
}
const deletedFiles = async () =>
  (
    await sql<{ n: number }>`select count(*)::int as n from callsheet.files f
      join svc.recording_sessions s on s.account = f.account and s.session_id = f.parent
      where s._deleted_at is not null`.execute(world.warehouse.db)
  ).rows[0]?.n ?? 0

describe('files of sessions that a sync has confirmed as deleted', () => {
  it('are written off, and do not delay other files', async () => {
    await open()
    await remove(RECORDINGS - 4)
    const run = await sync(true)
    const deleted = await deletedFiles()
    expect(deleted).toBeGreaterThan(20)
    const states = await statesOf()
    expect(states).toEqual({ missing: deleted, stored: expect.any(Number) })
    expect(run).toMatchObject({ state: 'incomplete', files: { missing: deleted, pending: 0 } })
    expect(run?.problems.join()).toContain(`${deleted} no longer exist: their sessions`)
    expect(await incidentsOf(world.warehouse)).toHaveLength(deleted)
    expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
    expect(await statesOf()).toEqual(states)
  })

  it('are requested again by a retry, and become pending if the session returns', async () => {
    await open()
    await remove(3)
    await sync(true)
    const { missing = 0 } = await statesOf()
    expect(missing).toBeGreaterThan(0)
    const before = world.sandbox.stats().operations['recordings.get'] ?? 0
    await archive(true)
    expect(world.sandbox.stats().operations['recordings.get']).toBeGreaterThan(before)
    expect((await statesOf()).missing).toBe(missing)
    for (const { name } of recordings.streams)
      await sql`update ${sql.id('svc', name)} set _deleted_at = null`.execute(world.warehouse.db)
    expect((await archive()).files).toMatchObject({ missing: 0, pending: missing })
    expect((await statesOf()).missing).toBeUndefined()
  })
})

describe('files that were trashed before they were fetched', () => {
  const change = (trash: string) => {
    const deletedMs = world.sandbox.clock.now() - HOUR_MS
    const patch = { trash, ...(trash === 'none' ? {} : { deletedMs }) }
    const ops = [0, 1, 2].map((index) => ({ kind: 'recordings', action: 'change', index, patch }))
    return world.mutate({ ops })
  }
  const asked = () => world.sandbox.stats().operations['recordings.get'] ?? 0

  it('are not requested while their sessions are in the trash, and are fetched after recovery', async () => {
    await open()
    await change('session')
    const first = await sync(true)
    const { pending = 0 } = await statesOf()
    expect(pending).toBeGreaterThan(0)
    const problems = [`files: ${pending} wait because their recordings are in the trash`]
    expect(first).toMatchObject({ state: 'complete', problems })
    const before = asked()
    for (const retry of [false, true]) {
      await world.advance(2 * HOUR_MS)
      expect(await archive(retry)).toMatchObject({ state: 'complete', files: { pending } })
    }
    expect(asked()).toBe(before)
    await change('none')
    expect((await sync(true))?.files).toMatchObject({ missing: 0, pending: 0 })
    expect(await statesOf()).toEqual({ stored: expect.any(Number) })
    expect(await incidentsOf(world.warehouse)).toEqual([])
  })

  it('on their own are written off, and fetched if they are recovered', async () => {
    await open()
    await change('file')
    const run = await sync(true)
    const { missing = 0, ...others } = await statesOf()
    expect(missing).toBeGreaterThan(0)
    expect(others).toEqual({ stored: expect.any(Number) })
    expect(run).toMatchObject({ state: 'incomplete', files: { missing, pending: 0 } })
    expect(run?.problems.join()).toContain(`${missing} no longer exist`)
    expect(await incidentsOf(world.warehouse)).toHaveLength(missing)
    expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
    await change('none')
    expect((await sync(true))?.files).toMatchObject({ missing: 0, pending: 0 })
    expect(await statesOf()).toEqual({ stored: expect.any(Number) })
  })
})

describe('sessions that the service no longer has', () => {
  it('keep their files pending until a sync finds them deleted, if the store is full', async () => {
    await open({ recordingsBytes: 1 })
    await remove(12)
    for (const hours of [0, 2, 2]) {
      await world.advance(hours * HOUR_MS)
      expect((await archive()).state).toBe('incomplete')
    }
    expect((await statesOf()).missing).toBeUndefined()
    await sync(true)
    const { missing = 0, pending = 0 } = await statesOf()
    expect(missing).toBeGreaterThan(10)
    expect(pending).toBeGreaterThan(10)
    const run = await archive()
    expect(run).toMatchObject({ state: 'complete', files: { missing: 0, pending } })
  })

  it('keep their files pending if the service lists no session at all', async () => {
    await open()
    await remove(RECORDINGS)
    for (const hours of [0, 2, 2]) {
      await world.advance(hours * HOUR_MS)
      const run = await archive()
      expect(run.state).toBe('incomplete')
      expect(run.problems.join()).toContain('the files stay pending')
    }
    expect(await statesOf()).toEqual({ pending: expect.any(Number) })
    expect(await incidentsOf(world.warehouse)).toEqual([])
  })
})
