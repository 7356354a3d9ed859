import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import numberSettings from '../../jobs/number-settings.ts'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import users from '../../jobs/users.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { Job } from '../../src/core/define/job.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { fileRows } from '../helpers/archive-files.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const account = 'account-0'
const trunks = only(numberSettings, 'sip_trunks')
let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: { ...TINY, trunks: 25, users: 200 }, altered: true })
})
afterEach(() => world.close())

test.each([null, {}, 7])(
  'a list of only %j fails, on an empty database or a full one',
  async (unusable) => {
    for (const again of [false, true]) {
      shows('/users', (rows) => rows.map(() => unusable))
      const failed = await sync(users)
      expect({ again, state: failed.state }).toEqual({ again, state: 'incomplete' })
      expect(failed.slices.users).toMatchObject({ failed: 4, complete: 0 })
      expect(failed.problems.join('\n')).toContain('records is usable')
      if (again) continue
      delete world.ways.tell
      await sync(users)
    }
    expect(await held('users')).toBe(200)
  },
)

test('more than a few unusable records leave every run incomplete, even the first', async () => {
  shows('/users', (rows) => rows.map((row, at) => (at % 2 === 0 ? { first_name: 'Zoë' } : row)))
  for (let night = 0; night < 2; night++) {
    const run = await sync(users)
    expect(run.state).toBe('incomplete')
    expect(run.problems.join()).toMatch(/users: \d+ unusable records were quarantined/)
  }
})

test('a shortened list leaves the run incomplete, even with an unusable record in it', async () => {
  await sync(users)
  for (const kept of [0.25, 0]) {
    shows('/users', (rows) =>
      [null, {}, ...rows.slice(0, rows.length * kept)].slice(0, kept === 0 ? 1 : undefined),
    )
    const cut = await sync(users)
    expect(cut.state).toBe('incomplete')
    expect(await held('users')).toBe(200)
  }
})

test('a drop needs an approval even if the list has an unusable record', async () => {
  await sync(users)
  shows('/users', (rows) => [null, ...rows.slice(0, rows.length / 4)])
  expect(await sync(users)).toMatchObject({
    state: 'incomplete',
    trippedGuards: [{ stream: 'users' }],
  })
})

test('a drop needs an approval even if many records of the list are unusable', async () => {
  await sync(users)
  shows('/users', (rows) => rows.map((row, at) => (at % 3 === 0 ? null : row)))
  expect(await sync(users)).toMatchObject({
    state: 'incomplete',
    trippedGuards: [{ stream: 'users' }],
  })
})

test('a row refused by the database stays quarantined if the list is read again', async () => {
  await sync(users)
  const { db } = world.warehouse
  await sql`create function public.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused' using errcode = '22003'; end $$`.execute(db)
  await sql`create trigger refuse before insert on svc.users for each row
    execute function public.refuse()`.execute(db)
  await world.mutate({ ops: [{ kind: 'users', action: 'add' }] })
  // One user is missing from the list but has a detail, so the list is read again.
  const [hidden] = (await sql<{ id: string }>`select id from svc.users limit 1`.execute(db)).rows
  shows('/users', (rows) => rows.filter((row) => (row as { id: string }).id !== hidden?.id))
  expect(await sync(users)).toMatchObject({
    state: 'incomplete',
    tables: { users: { inserted: 0, quarantined: 1 } },
  })
})

test('unusable records in a complete list are only counted', async () => {
  shows('/users', (rows) => [...rows, rows.length % 2 === 0 ? null : {}])
  for (let run = 0; run < 2; run++)
    expect(await sync(users)).toMatchObject({
      state: 'complete',
      problems: [],
      tables: { users: { quarantined: 3 } },
    })
  await truth(users)
})

test('a row replaced by an unusable record stays, and the run is incomplete', async () => {
  for (const job of [users, trunks, sessionReports]) {
    await sync(job)
    const table = job.streams[0]?.name ?? ''
    const before = await held(table)
    shows('', (rows) => rows.map((row, at) => (at === 0 && rows.length > 1 ? null : row)))
    for (let run = 0; run < 2; run++) {
      const odd = await sync(job, true)
      expect({ table, state: odd.state }).toEqual({ table, state: 'incomplete' })
      expect(odd.problems.join('\n')).toContain(table)
      await world.advance(2 * 3_600_000)
    }
    expect({ table, held: await held(table) }).toEqual({ table, held: before })
    delete world.ways.tell
    expect(await sync(job, true)).toMatchObject({ state: 'complete', problems: [] })
    await truth(job)
  }
})

test('a detail call confirms a deletion even if another record is unusable', async () => {
  await sync(users)
  await world.mutate({ ops: [{ kind: 'users', action: 'remove', index: 3 }] })
  shows('/users', (rows) => [...rows, null])
  expect(await sync(users)).toMatchObject({
    state: 'incomplete',
    tables: { users: { deleted: 1 } },
  })
  expect(await sync(users)).toMatchObject({ state: 'complete', problems: [] })
  await truth(users)
})

/** Changes the records of a list, whatever the name of their field. */
function shows(path: string, change: (rows: unknown[]) => unknown[]): void {
  world.ways.tell = (asked, { body }) => {
    if (!asked.path.endsWith(path) || asked.path.includes('/users/')) return
    const page = body as Record<string, unknown>
    const list = Object.keys(page).find((name) => Array.isArray(page[name]))
    if (list === undefined) return
    const rows = page[list] as unknown[]
    const shown = change(rows)
    page[list] = shown
    if (typeof page.total_records === 'number') page.total_records += shown.length - rows.length
  }
}

async function held(table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n
    from ${sql.id('svc', table)} where _deleted_at is null`.execute(world.warehouse.db)
  return rows[0]?.n ?? 0
}

function only(job: Job, name: string): Job {
  return { ...job, streams: job.streams.filter((stream) => stream.name === name) }
}

async function sync(job: Job, full = false): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full })
  if (result === undefined) throw new Error('No run')
  return result
}

async function truth(job: Job): Promise<void> {
  await expectTruth(world.warehouse, world.sandbox, { account, streams: job.streams })
}

test('every file is found in a list that has an invalid record or changes during the read', async () => {
  const archiving = await openWorld({ sizes: TINY, altered: true, archive: { files: true } })
  const asked = new Map<string, number>()
  archiving.ways.tell = ({ path }, { body }) => {
    const { activities = [] } = body as { activities?: unknown[] }
    const times = (asked.get(path) ?? 0) + 1
    asked.set(path, times)
    // The archive's first listing of each session moves.
    if (times === 2 && activities.length > 1) activities.splice(-1, 1, activities[0])
    if (activities.length > 0) activities.push(null)
  }
  const [run] = await archiving.sync({ jobs: [whiteboardArchives] })
  const files = await fileRows(archiving.warehouse)
  await archiving.close()
  expect(run?.error).toBeUndefined()
  // The proxy refuses every file, and after many such failures the run requests no others.
  const reasons = files.map(({ reason }) => reason ?? 'not asked for')
  expect(reasons.filter((reason) => reason.includes('does not allow')).length).toBeGreaterThan(5)
  expect(reasons.filter((reason) => reason.includes('did not list'))).toEqual([])
})

test('every recording file is found in a list that has an invalid record', async () => {
  const archive = { files: false, recordings: true, recordingsDays: 3650 }
  const archiving = await openWorld({ sizes: TINY, altered: true, archive })
  archiving.ways.tell = ({ path }, { body }) => {
    const { recording_files: files } = body as { recording_files?: unknown[] }
    if (path.endsWith('/recordings')) files?.unshift(null)
  }
  const [run] = await archiving.sync({ jobs: [recordings] })
  const files = await fileRows(archiving.warehouse, { kind: 'recording' })
  await archiving.close()
  expect(run?.error).toBeUndefined()
  expect(run?.problems.join()).not.toContain('Cannot read')
  const reasons = files.map(({ reason }) => reason ?? 'not asked for')
  expect(reasons.filter((reason) => reason.includes('does not allow')).length).toBeGreaterThan(5)
  expect(reasons.filter((reason) => reason.includes('did not list'))).toEqual([])
})
