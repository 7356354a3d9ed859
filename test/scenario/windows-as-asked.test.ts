import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import type { Readings } from '../../sandbox/readings/readings.ts'
import type { Job } from '../../src/core/define/job.ts'
import { readStatus, type StreamStatus } from '../../src/serve/health/read-status.ts'
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
  const nowMs = Date.parse(WORLD_NOW)
  const status = await readStatus(world.warehouse, { account, jobs: [job], nowMs })
  return status.jobs[0]?.streams[0]
}

async function untrue(job: Job): Promise<string[]> {
  const scope = { account, streams: job.streams }
  return (await findDifferences(world.warehouse, world.sandbox, scope)).differences
}

test('windows whose rows are from another range fail, and run and status count these rows', async () => {
  await open({ sessionWindows: 'ignored' })
  const run = await sync(sessionReports)
  expect(run.state).toBe('incomplete')
  expect(run.slices.session_reports?.failed).toBeGreaterThan(3)
  expect(run.problems.join('\n')).toMatch(/2026-02-01\.\.2026-03-01: .* outside this range/)
  expect(run.problems.join('\n')).toMatch(
    /session_reports: the service sent \d+ records outside the requested range/,
  )
  const status = await statusOf(sessionReports)
  expect(status?.outside).toBeGreaterThan(0)
  expect(status?.failed).toBeGreaterThan(3)
})

test('windows whose empty pages never end are abandoned after about ten pages each', async () => {
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
  expect(calls() - before).toBeLessThan(150)
})

test('a run whose windows show another range needs a person, unless it also failed temporarily', async () => {
  await open({ sessionWindows: 'ignored' })
  expect(endingOf(await sync(sessionReports), 0)).toEqual({ kind: 'person' })
  await world.faults([
    { kind: 'status', status: 500, operation: 'session_reports.list', about: '2026-06' },
  ])
  expect(endingOf(await sync(sessionReports), 0)).toEqual({ kind: 'again' })
})

test('a few rows outside the range are reported, and the run is complete', async () => {
  await open({ sessionWindows: 'another-zone' })
  // Few of sixty sessions begin in the eight hours that the zone disputes, so the test adds two.
  for (const day of ['2026-05-01', '2026-06-01'])
    await world.mutate({
      ops: [{ kind: 'sessions', action: 'add', patch: { startMs: Date.parse(day) + HOUR_MS } }],
    })
  const run = await sync(sessionReports)
  expect(run.problems.join('\n')).toMatch(/records outside the requested range/)
  expect(run.state).toBe('complete')
  expect(await untrue(sessionReports)).toEqual([])
})

/** Half an hour around midnight at the ends of two months, where the readings differ. */
const EDGES = ['00:30', '23:30'].flatMap((time) =>
  ['2026-04-30', '2026-05-01', '2026-05-31', '2026-06-01'].map((day) => `${day}T${time}:00Z`),
)

async function addAtEdges(): Promise<void> {
  for (const at of EDGES)
    await world.mutate({
      ops: [{ kind: 'sessions', action: 'add', patch: { startMs: Date.parse(at) } }],
    })
}

test.each([
  'across',
  'month-of-from',
  'month-refused',
  'month-narrowed',
  'half-open',
  'exclusive',
  'month-half-open',
  'another-zone',
] as const)('rows at the ends of months are read and kept with date ranges "%s"', async (way) => {
  await open({ sessionWindows: way })
  await addAtEdges()
  expect((await sync(sessionReports)).state).toBe('complete')
  expect(await untrue(sessionReports)).toEqual([])
  for (let reads = 0; reads < 3; reads++) {
    await world.advance(2 * HOUR_MS)
    const { state, tables } = await sync(sessionReports, reads === 1)
    expect([state, tables.session_reports]).toMatchObject(['complete', { deleted: 0 }])
  }
  expect(await untrue(sessionReports)).toEqual([])
})

test.each([
  ['refused-half-open', 'the last day', '2026-05-31'],
  ['cut-exclusive', 'the first and the last day', 'the first and the last day of a month'],
] as const)(
  'with date ranges "%s", a run is incomplete, names the missing days and deletes nothing',
  async (way, ...named) => {
    await open({ sessionWindows: way })
    await addAtEdges()
    for (let reads = 0; reads < 3; reads++) {
      const run = await sync(sessionReports, reads === 1)
      expect([run.state, run.tables.session_reports]).toMatchObject(['incomplete', { deleted: 0 }])
      for (const name of named) expect(run.problems.join('\n')).toContain(name)
      expect(endingOf(run, 0)).toEqual({ kind: 'person' })
      await world.advance(2 * HOUR_MS)
    }
    expect(await untrue(sessionReports)).not.toEqual([])
  },
)

test('rows at the end of a month are not deleted while its days cannot be read', async () => {
  await open({ sessionWindows: 'exclusive' })
  await addAtEdges()
  await sync(sessionReports)
  await world.faults([
    { kind: 'status', status: 500, operation: 'session_reports.list', about: '2026-05-30' },
  ])
  for (let reads = 0; reads < 3; reads++) {
    await world.advance(2 * HOUR_MS)
    const { state, tables } = await sync(sessionReports, true)
    expect([state, tables.session_reports]).toMatchObject(['incomplete', { deleted: 0 }])
  }
})

test('the trash list fails, and nothing is stored as trash, if the service ignores the filter', async () => {
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

test('the recordings are complete without the trash if reading the trash is turned off', async () => {
  await open({ trash: 'unknown' }, { recordingTrash: false })
  const run = await sync(recordings)
  expect(run).toMatchObject({ state: 'complete', problems: [] })
  expect(run.tables.recording_sessions?.present).toBeGreaterThan(0)
})
