import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { FaultRule } from '../../sandbox/protocol/faults.ts'

import { archiveAccount } from '../../src/archive/archive-account.ts'
import type { FileSource } from '../../src/core/define/file-source.ts'
import { fileRows, incidentsOf, untrueFiles } from '../helpers/archive-files.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const HOUR_MS = 3_600_000
const DOWNLOAD = 'whiteboard_sessions.download'
let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  await sync()
})
afterAll(() => world.close())
/** Before each test, the rows are read and no file was fetched. */
beforeEach(async () => {
  await world.faults([])
  await sql`truncate callsheet.files, callsheet.incidents`.execute(world.warehouse.db)
})

const sync = async (full = false) => (await world.sync({ jobs: [whiteboardArchives], full }))[0]
const strike = (...rules: Omit<FaultRule, 'operation'>[]) =>
  world.faults(rules.map((rule) => ({ ...rule, operation: DOWNLOAD })))
const statesOf = async () => {
  const counts: Record<string, number> = {}
  for (const { state } of await fileRows(world.warehouse)) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
/** Moves the first "not found" answers back in time, since moving the clock would need new connections. */
const laterBy = (hours: number) =>
  sql`update callsheet.files set absent_since = absent_since - make_interval(hours => ${hours})`.execute(
    world.warehouse.db,
  )
const someFile = () => {
  const file = [...world.sandbox.files('activity')].find(
    ({ sha256, expiresMs = 0 }) => sha256 !== undefined && expiresMs > world.sandbox.clock.now(),
  )
  if (file === undefined) throw new Error('no file')
  return file
}

describe('files that the service does not return', () => {
  it.each<[string, Omit<FaultRule, 'operation'>]>([
    ['a 404 with an undocumented code', { kind: 'status', status: 404 }],
    ['a 410', { kind: 'status', status: 410 }],
    ['a 403', { kind: 'dead-address' }],
    ['an HTML page', { kind: 'html' }],
    ['empty files', { kind: 'empty-file' }],
    ['an address in place of each file', { kind: 'address-for-file' }],
    ['the code for a missing file, for all files', { kind: 'missing-file' }],
  ])('stay pending and leave every run incomplete: %s', async (_name, rule) => {
    await strike(rule)
    for (const full of [false, true, false]) {
      const run = await sync(full)
      expect(run?.state).toBe('incomplete')
      expect(run?.problems.join()).toContain('files: ')
      expect(run?.files).toMatchObject({ stored: 0, missing: 0, expired: 0 })
      await laterBy(2)
    }
    expect((await statesOf()).pending).toBeGreaterThan(10)
    expect(await incidentsOf(world.warehouse)).toEqual([])
    await world.faults([])
    expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
    expect((await untrueFiles(world.warehouse, world.sandbox)).untrue).toEqual([])
  })

  it('become "missing" if two runs at least an hour apart receive the code for a missing file', async () => {
    const { parent, item } = someFile()
    const stateOf = async () =>
      (await fileRows(world.warehouse)).find((row) => row.item === item && row.parent === parent)
        ?.state
    await strike({ kind: 'missing-file', about: item })
    const first = await sync()
    expect(first).toMatchObject({ state: 'incomplete', files: { pending: 1, missing: 0 } })
    expect(first?.problems.join()).toContain('with code 34000')
    await world.advance(HOUR_MS / 2)
    expect(await sync()).toMatchObject({ state: 'incomplete', files: { pending: 1 } })
    expect(await stateOf()).toBe('pending')
    await world.advance(HOUR_MS)
    expect(await sync()).toMatchObject({ state: 'incomplete', files: { pending: 0, missing: 1 } })
    expect(await stateOf()).toBe('missing')
    expect(await incidentsOf(world.warehouse)).toMatchObject([{ kind: 'missing' }])
    expect(await sync()).toMatchObject({ state: 'complete', files: { missing: 0 } })
  })

  it('do not become "missing" if the second response does not have the service’s code', async () => {
    const { item } = someFile()
    for (const rule of [
      { kind: 'missing-file', about: item },
      { kind: 'status', status: 404, about: item },
      { kind: 'html', about: item },
    ] as const) {
      await strike(rule)
      expect(await sync()).toMatchObject({ state: 'incomplete', files: { pending: 1, missing: 0 } })
      await laterBy(2)
    }
    await world.faults([])
    expect(await sync()).toMatchObject({ state: 'complete', files: { stored: 1 } })
  })
})

describe('a file with an endless slow response', () => {
  it('stays pending after the run’s time limit, and the others are stored', async () => {
    await strike({ kind: 'endless', about: someFile().item })
    const { deps } = world.account
    const clock = {
      ...deps.clock,
      alarm: (ms: number, ring: () => void) =>
        deps.clock.alarm(ms === 720 * 60_000 ? 1_500 : ms, ring),
    }
    const run = await archiveAccount(
      { ...deps, clock },
      {
        account: 'account-0',
        sources: [whiteboardArchives.archive as FileSource],
        retry: false,
        signal: new AbortController().signal,
      },
    )
    expect(run).toMatchObject({ state: 'incomplete', error: undefined, files: { pending: 1 } })
    expect(run.problems.join()).toContain('the time limit of 12 h is reached')
    expect((await statesOf()).stored).toBeGreaterThan(10)
  })
})
