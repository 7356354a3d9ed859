import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { archiveAccount } from '../../src/archive/archive-account.ts'
import { countFileStates } from '../../src/archive/sql/files.ts'
import type { FileSource } from '../../src/core/define/file-source.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { fileRows, incidentsOf, storedFiles, untrueFiles } from '../helpers/archive-files.ts'
import { openWorld, TINY, type World, type WorldOptions } from '../helpers/world.ts'

let world: World
afterEach(() => world.close())

const open = async ({ archive: settings = {}, ...options }: WorldOptions = {}) => {
  world = await openWorld({ sizes: TINY, archive: { files: true, ...settings }, ...options })
  return world
}
const DOWNLOAD = 'whiteboard_sessions.download'
const sync = async () => (await world.sync({ jobs: [whiteboardArchives] }))[0]
const folder = () => join(dirname(world.place.configFile), 'archive', 'account-0')
const statesOf = async () => {
  const counts: Record<string, number> = {}
  for (const { state } of await fileRows(world.warehouse)) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

describe('the files of archived activities', () => {
  it('are stored once each, under the hash of their content', async () => {
    const { sandbox, warehouse } = await open()
    const run = await sync()
    expect(run).toMatchObject({ state: 'complete', problems: [] })
    const rows = await fileRows(warehouse)
    const stored = rows.filter(({ state }) => state === 'stored')
    expect(stored.length).toBeGreaterThan(10)
    expect(await untrueFiles(warehouse, sandbox)).toEqual({ looked: rows.length, untrue: [] })
    const { names, wrong, left } = storedFiles(folder())
    expect(names).toEqual([...new Set(stored.map(({ sha256 }) => String(sha256)))].toSorted())
    expect({ wrong, left }).toEqual({ wrong: [], left: [] })
    const unoffered = rows.length - stored.length
    expect(unoffered).toBeGreaterThan(0)
    const files = { stored: stored.length, pending: 0, expired: 0, missing: 0, unoffered }
    expect(run?.files).toMatchObject(files)
    expect(await countFileStates(warehouse.db, 'account-0')).toMatchObject([
      { state: 'no file', files: unoffered },
      { state: 'stored', files: stored.length },
    ])
    expect(sandbox.stats().operations[DOWNLOAD]).toBe(stored.length)
    // Only the owner of the files may read them.
    const [name = ''] = names
    expect(statSync(join(folder(), 'files', name.slice(0, 1), name)).mode & 0o777).toBe(0o600)
    expect(statSync(folder()).mode & 0o777).toBe(0o700)
    // A second run has nothing to fetch.
    expect((await sync())?.files).toMatchObject({ stored: 0, missing: 0, pending: 0 })
    expect(sandbox.stats().operations[DOWNLOAD]).toBe(stored.length)
  })

  it('that were not fetched before they expired are recorded as incidents', async () => {
    const { sandbox } = await open()
    await world.faults([{ kind: 'status', status: 500, operation: DOWNLOAD }])
    const first = await sync()
    expect(first?.state).toBe('incomplete')
    expect(first?.problems.join()).toContain('could not be downloaded')
    const pending = (await statesOf()).pending ?? 0
    expect(pending).toBeGreaterThan(10)
    await world.faults([])
    await world.advance(401 * DAY_MS)
    const late = await sync()
    expect(late).toMatchObject({ state: 'incomplete', files: { expired: pending, stored: 0 } })
    expect(late?.problems.join()).toContain(`${pending} were lost`)
    expect((await statesOf()).expired).toBe(pending)
    const told = await incidentsOf(world.warehouse)
    expect(told.map(({ kind }) => kind)).toEqual(Array(pending).fill('expired_before_download'))
    expect(sandbox.stats().faults.status).toBeGreaterThan(7)
    // A loss that was reported once leaves later runs complete.
    expect(await sync()).toMatchObject({ state: 'complete', files: { expired: 0 } })
    expect(await incidentsOf(world.warehouse)).toHaveLength(pending)
  })

  it('of sessions that expired before their list was read are reported as lost, only once', async () => {
    await open()
    await world.faults([{ kind: 'status', status: 500, operation: 'whiteboard_sessions.get' }])
    expect((await sync())?.state).toBe('incomplete')
    await world.faults([])
    await world.advance(401 * DAY_MS)
    const late = await sync()
    const told = await incidentsOf(world.warehouse)
    const { rows } = await sql<{ lapsed: number }>`
      select count(*)::int as lapsed from svc.whiteboard_sessions
      where expire_time <= callsheet.clock()`.execute(world.warehouse.db)
    expect(told.length).toBeGreaterThan(10)
    expect(told).toHaveLength(rows[0]?.lapsed ?? 0)
    expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(['expired_before_download']))
    expect(told[0]?.detail).toMatch(/^expired at 20\S+Z before its list was read$/)
    expect(late?.state).toBe('incomplete')
    expect(late?.problems).toEqual([
      `whiteboard_activities: ${told.length} records of whiteboard_sessions expired ` +
        'before the list was read, so this data is lost; callsheet.incidents gives the details',
    ])
    expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
    expect(await incidentsOf(world.warehouse)).toEqual(told)
  })

  it('that were given up because the clock was ahead are fetched once the clock is right', async () => {
    const { sandbox } = await open()
    await world.faults([{ kind: 'status', status: 500, operation: DOWNLOAD }])
    await sync()
    await world.faults([])
    const pending = (await statesOf()).pending ?? 0
    // Moves only our clock, not the service's.
    await world.advance(401 * DAY_MS)
    sandbox.advance(-401 * DAY_MS)
    expect((await sync())?.files).toMatchObject({ expired: pending, stored: 0 })
    await world.advance(-401 * DAY_MS)
    sandbox.advance(401 * DAY_MS)
    expect(await sync()).toMatchObject({ state: 'complete', files: { expired: 0, pending: 0 } })
    expect((await statesOf()).stored).toBeGreaterThan(10)
    expect((await statesOf()).expired).toBeUndefined()
    expect((await untrueFiles(world.warehouse, sandbox)).untrue).toEqual([])
    // The incidents stay.
    expect(await incidentsOf(world.warehouse)).toHaveLength(pending)
  })

  it('that were given up are fetched if the service moves the session’s expiry date', async () => {
    const { sandbox } = await open()
    await world.faults([{ kind: 'status', status: 500, operation: DOWNLOAD }])
    await sync()
    await world.faults([])
    const moved = async (to: string): Promise<void> => {
      await sql`update svc.whiteboard_sessions set expire_time = ${to}::timestamptz`.execute(
        world.warehouse.db,
      )
    }
    const archive = async () => {
      const { deps } = world.account
      const signal = new AbortController().signal
      const sources = [whiteboardArchives.archive as FileSource]
      return await archiveAccount(deps, { account: 'account-0', sources, retry: false, signal })
    }
    const pending = (await statesOf()).pending ?? 0
    await moved('2026-07-01T00:00:00Z')
    expect((await archive()).files).toMatchObject({ expired: pending, stored: 0 })
    expect((await archive()).files).toMatchObject({ expired: 0, stored: 0 })
    await moved('2027-07-01T00:00:00Z')
    expect((await archive()).files).toMatchObject({ expired: 0, pending: 0 })
    expect((await statesOf()).stored).toBeGreaterThan(10)
    expect((await statesOf()).expired).toBeUndefined()
    expect((await untrueFiles(world.warehouse, sandbox)).untrue).toEqual([])
  })

  it('are fetched with a new address from the list if their address has expired', async () => {
    const { sandbox, warehouse } = await open()
    await world.faults([{ kind: 'dead-address', operation: DOWNLOAD, count: 1 }])
    expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
    expect((await untrueFiles(warehouse, sandbox)).untrue).toEqual([])
    expect(sandbox.stats().faults['dead-address']).toBe(1)
  })

  it('stay pending when the daily quota is used up, and are fetched on the following days', async () => {
    const MEDIUM = { perSecond: 900, perDay: 45, pool: 'MEDIUM' }
    const wide = { perSecond: 900, pool: 'LIGHT' }
    const quotas = { LIGHT: wide, MEDIUM, HEAVY: wide, 'RESOURCE-INTENSIVE': wide }
    const { sandbox } = await open({ quotas })
    const states: unknown[] = []
    for (let day = 0; day < 9; day++) {
      const run = await sync()
      states.push(run?.state)
      if (run?.state === 'complete') break
      expect(run?.state).toBe('paused')
      await world.advance(DAY_MS)
    }
    expect(states.length).toBeGreaterThan(1)
    expect(states.at(-1)).toBe('complete')
    expect((await untrueFiles(world.warehouse, sandbox)).untrue).toEqual([])
  })

  it('leave no signed address in the result or in the database', async () => {
    await open()
    await world.faults([
      { kind: 'dead-address', operation: DOWNLOAD, count: 4 },
      { kind: 'status', status: 404, operation: DOWNLOAD, count: 6 },
      { kind: 'reset', operation: DOWNLOAD, count: 3 },
    ])
    const run = await sync()
    expect(JSON.stringify(run)).not.toContain('signature=')
    const { rows } = await sql<{ hits: number }>`
      select (select count(*) from callsheet.files f where f::text like '%signature=%')
        + (select count(*) from callsheet.incidents i where i::text like '%signature=%')
        + (select count(*) from callsheet.runs r where r::text like '%signature=%')
        + (select count(*) from svc.whiteboard_activities a where a::text like '%signature=%')
        as hits`.execute(world.warehouse.db)
    expect(rows).toEqual([{ hits: 0 }])
  })
})
