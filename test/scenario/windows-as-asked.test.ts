import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import type { Readings } from '../../sandbox/readings/readings.ts'
import type { Job } from '../../src/core/define/job.ts'
import { readStatus, type StreamStatus } from '../../src/service/health/read-status.ts'
import { endingOf } from '../../src/sync/ending.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { findDifferences } from '../helpers/differences.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

const account = 'account-0'
const HOUR_MS = 3_600_000
let world: World
afterEach(() => world.close())

async function open(readings: Partial<Readings>, settings: object = {}): Promise<void> {
  world = await openWorld({ sizes: TINY, readings, settings })
}

async function sync(job: Job, full = false): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full })
  if (result === undefined) throw new Error('there was no run')
  return result
}

async function statusOf(job: Job): Promise<StreamStatus | undefined> {
  const { found } = world.account.deps
  const nowMs = Date.parse(WORLD_NOW)
  const status = await readStatus(world.warehouse, { account, jobs: [job], nowMs, found })
  return status.jobs[0]?.streams[0]
}

async function untrue(job: Job): Promise<string[]> {
  const scope = { account, streams: job.streams }
  return (await findDifferences(world.warehouse, world.sandbox, scope)).differences
}

test('windows that show the rows of another range are not read, and run and status count them', async () => {
  await open({ sessionWindows: 'ignored' })
  const run = await sync(sessionReports)
  expect(run.state).toBe('incomplete')
  expect(run.slices.session_reports?.failed).toBeGreaterThan(3)
  expect(run.problems.join('\n')).toMatch(/2026-02-01\.\.2026-03-01: .* outside of that/)
  expect(run.problems.join('\n')).toMatch(
    /session_reports: \d+ records were shown outside the range/,
  )
  const status = await statusOf(sessionReports)
  expect(status?.outside).toBeGreaterThan(0)
  expect(status?.failed).toBeGreaterThan(3)
})

test('windows without an end cost ten pages each, the question how they are answered included', async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  await sync(sessionReports)
  const calls = () => world.sandbox.stats().operations['session_reports.list'] ?? 0
  const before = calls()
  let page = 0
  world.ways.tell = ({ path }, told) => {
    if (!path.endsWith('/videosdk/sessions')) return
    Object.assign(told, { status: 200, body: { sessions: [], next_page_token: `p${page++}` } })
  }
  const run = await sync(sessionReports, true)
  expect(run.state).toBe('incomplete')
  expect(calls() - before).toBeLessThan(100)
})

test('a service that shows another range waits for a person, unless something may still pass', async () => {
  await open({ sessionWindows: 'ignored' })
  expect(endingOf(await sync(sessionReports), 0)).toEqual({ kind: 'person' })
  await world.faults([
    { kind: 'status', status: 500, operation: 'session_reports.list', about: '2026-06' },
  ])
  expect(endingOf(await sync(sessionReports), 0)).toEqual({ kind: 'again' })
})

test('a few rows from outside are told, and the run is whole', async () => {
  await open({ sessionWindows: 'another-zone' })
  // Eight hours in two hundred: of sixty sessions few begin in the hours that two months dispute.
  for (const day of ['2026-05-01', '2026-06-01'])
    await world.mutate({
      ops: [{ kind: 'sessions', action: 'add', patch: { startMs: Date.parse(day) + HOUR_MS } }],
    })
  const run = await sync(sessionReports)
  expect(run.problems.join('\n')).toMatch(/records were shown outside the range/)
  expect(run.state).toBe('complete')
  expect(await untrue(sessionReports)).toEqual([])
})

test('windows stay within a month where the setting says so, and what that leaves out is red', async () => {
  await open({ sessionWindows: 'half-open' }, { reportWindows: 'month' })
  const run = await sync(sessionReports)
  expect(run.state).toBe('incomplete')
  expect(run.problems.join('\n')).toContain(
    'Set reportWindows of the account to across, or to learn',
  )
  // What a month's last day held is not called gone for it.
  await sql`insert into svc.session_reports
    select (jsonb_populate_record(t, '{"id": "edge", "start_time": "2026-05-31T12:00:00Z"}')).*
    from svc.session_reports t limit 1`.execute(world.warehouse.db)
  await sync(sessionReports, true)
  await world.advance(2 * HOUR_MS)
  expect((await sync(sessionReports, true)).tables.session_reports).toMatchObject({ deleted: 0 })
})

test('windows reach over the ends of months where the setting says so, without another look', async () => {
  await open({ sessionWindows: 'exclusive' }, { reportWindows: 'across' })
  expect(await sync(sessionReports)).toMatchObject({ state: 'complete' })
  expect(await untrue(sessionReports)).toEqual([])
  expect(world.account.deps.found.get('sessionWindows')).toBeUndefined()
})

test('how windows are answered is found out once, and a later run asks for no day by itself', async () => {
  await open({})
  await sync(sessionReports)
  expect(world.account.deps.found.get('sessionWindows')).toBe('within')
  // Every answer to a look fails from now on: a run that looked again would say so.
  await world.faults([{ kind: 'status', status: 500, operation: 'session_reports.list', after: 7 }])
  const { rows } = await sql<{ windows: number }>`
    select count(*)::int as windows from callsheet.slices`.execute(world.warehouse.db)
  expect(rows).toEqual([{ windows: 7 }])
  expect(await sync(sessionReports)).toMatchObject({ state: 'complete', problems: [] })
})

test('what could be read in neither way is looked at again by each run', async () => {
  await open({ sessionWindows: 'half-open' })
  await sync(sessionReports)
  const { found } = world.account.deps
  const neither = { reading: 'sessionWindows', variant: 'neither', shownBy: 'a night before' }
  await found.remember(neither)
  // Nothing is known on both sides of a month's end.
  await sql`update svc.session_reports set _deleted_at = now()
    where start_time not between '2026-04-02' and '2026-04-29'`.execute(world.warehouse.db)
  const untried = await sync(sessionReports)
  expect(untried.state).toBe('incomplete')
  expect(untried.problems.join('\n')).toContain('Whether it answers across')
  expect(found.get('sessionWindows')).toBe('neither')
  expect(await sync(sessionReports, true)).toMatchObject({ state: 'complete' })
  expect(found.get('sessionWindows')).toBe('across')
})

test('what is gone at the service meanwhile keeps nobody from finding out', async () => {
  await open({ sessionWindows: 'half-open' })
  await sync(sessionReports)
  const { found } = world.account.deps
  await found.remember({ reading: 'sessionWindows', variant: 'within', shownBy: 'a night before' })
  // Nothing that is there begins as early or as late in a day.
  for (const at of ['2026-05-06T00:00:00Z', '2026-05-07T23:59:59Z'])
    await sql`insert into svc.session_reports
      select (jsonb_populate_record(t, jsonb_build_object('id', ${at}::text, 'start_time', ${at}::text))).*
      from svc.session_reports t limit 1`.execute(world.warehouse.db)
  await sync(sessionReports, true)
  expect(found.get('sessionWindows')).toBe('across')
})

test('days that are counted in another zone are found out by what begins early and late', async () => {
  await open({ sessionWindows: 'another-zone' })
  // One that any window of its day shows, and one that begins in an hour that the next day is given.
  for (const at of ['2026-05-12T20:00:00Z', '2026-05-07T02:00:00Z'])
    await world.mutate({
      ops: [{ kind: 'sessions', action: 'add', patch: { startMs: Date.parse(at) } }],
    })
  await sync(sessionReports)
  await world.account.deps.found.remember({
    reading: 'sessionWindows',
    variant: 'within',
    shownBy: 'a day at noon',
  })
  await sync(sessionReports, true)
  expect(world.account.deps.found.get('sessionWindows')).not.toBe('within')
  expect(await untrue(sessionReports)).toEqual([])
})

test('an answer that is not the trash is not stored as trash, and its list fails by name', async () => {
  await open({ trash: 'unknown' })
  const run = await sync(recordings)
  expect(run.state).toBe('incomplete')
  expect(run.problems.join('\n')).toContain('recording_sessions trash=session_recordings')
  expect(run.problems.join('\n')).toContain('set recordingTrash: false')
  const { rows } = await sql<{ trashed: number; live: number }>`
    select count(*) filter (where trashed)::int as trashed,
      count(*) filter (where not trashed)::int as live,
      (select count(*)::int from svc.trashed_recordings) as listed
    from svc.recording_sessions`.execute(world.warehouse.db)
  expect(rows).toMatchObject([{ trashed: 0, listed: 0 }])
  expect(rows[0]?.live).toBeGreaterThan(0)
})

test('without a trash to list recordings are whole all the same', async () => {
  await open({ trash: 'unknown' }, { recordingTrash: false })
  const run = await sync(recordings)
  expect(run).toMatchObject({ state: 'complete', problems: [] })
  expect(run.tables.recording_sessions?.present).toBeGreaterThan(0)
})
