import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import users from '../../jobs/users.ts'
import { type AskedPart, choosePart } from '../../src/account/choose-part.ts'
import type { Job } from '../../src/core/define/job.ts'
import { readLedgers } from '../../src/serve/health/read-ledgers.ts'
import { readJobRuns } from '../../src/serve/ledger/job-runs.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import { planRun } from '../../src/sync/plan-run.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { openChain } from '../../src/warehouse/ledger/runs.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

const account = 'account-0'
const HOUR_MS = 3_600_000
const MARCH = { from: '2026-03-02', to: '2026-03-31' }
let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: { ...TINY, sessions: 700, recordings: 60 } })
})
afterEach(() => world.close())

test('a range reads its windows again, and the run is partial', async () => {
  await sync(sessionReports)
  const { rows } = await sql<{ id: string }>`
    select id from svc.session_reports where start_time >= '2026-03-05' and start_time < '2026-03-25'
    order by start_time limit 3`.execute(world.warehouse.db)
  expect(rows).toHaveLength(3)
  await world.mutate({ ops: rows.map(({ id }) => ({ kind: 'sessions', action: 'remove', id })) })
  const first = await part(sessionReports, MARCH)
  expect(first).toMatchObject({ state: 'complete', read: [], range: MARCH })
  // A row is deleted after a second read, an hour later.
  await world.advance(2 * HOUR_MS)
  const second = await part(sessionReports, MARCH)
  expect(second.tables.session_reports).toMatchObject({ deleted: 3 })
  await expectTruth(world.warehouse, world.sandbox, { account, streams: sessionReports.streams })
  expect(await slicesOf(second)).toEqual([
    '2026-03-01..2026-04-01',
    'around=2026-03-01',
    'around=2026-04-01',
  ])
  const runs = await readJobRuns(world.warehouse, { account, jobs: [sessionReports] })
  expect(runs.get('session-reports')).toMatchObject({
    lastRun: { id: second.runId, partial: true },
    lastComplete: { id: first.runId - 1 },
  })
})

test('a range before the first sync completes nothing but its windows', async () => {
  expect(await part(recordings, { from: '2026-06-01', to: '2026-06-03' })).toMatchObject({
    state: 'complete',
    read: [],
  })
  const details = await sync(recordingDetails)
  expect(details.state).toBe('incomplete')
  expect(details.problems.join()).toContain('recording_sessions was never read completely')
  const runs = await readJobRuns(world.warehouse, { account, jobs: [recordings] })
  expect(runs.get('recordings')?.lastComplete).toBeUndefined()
  const whole = await sync(recordings)
  const { planned = 0, complete } = whole.slices.recording_sessions ?? {}
  expect([whole.state, complete]).toEqual(['complete', planned])
  expect(planned).toBeGreaterThan(12)
  await expectTruth(world.warehouse, world.sandbox, { account, streams: recordings.streams })
})

test('a stream alone is read again, although nothing of it is due to the next run of the chain', async () => {
  await fault({ operation: 'users.list', kind: 'daily-limit', after: 2 })
  const cut = await sync(users)
  expect(cut.state).toBe('paused')
  await world.faults([])
  await world.advance(24 * HOUR_MS)
  const one = await part(users, { stream: 'users' })
  expect(one).toMatchObject({ state: 'complete', read: ['users'] })
  expect(one.slices.users).toMatchObject({ planned: 4, complete: 4 })
  // The chain is still open: the next run resumes it.
  expect(await openChain(world.warehouse.db, { account, job: 'users' })).toBe(cut.runId)
})

test('a range neither settles nor approves the deletions that another run held back', async () => {
  await sync(sessionReports)
  await loseReports()
  const held = await sync(sessionReports, { full: true })
  expect(held.trippedGuards.length).toBeGreaterThan(0)
  // The newest month lost nothing, so its range reads a complete stream without a missing row.
  const calm = await part(sessionReports, { from: '2026-07-01', to: '2026-07-08' })
  expect(calm).toMatchObject({ state: 'complete', trippedGuards: [] })
  const { trippedGuards } = await readLedgers(world.warehouse.db, account)
  expect(trippedGuards).toMatchObject([{ stream: 'session_reports', runId: held.runId }])
  const { rows } = await sql`select state, deletions_held from report.freshness
    where account = ${account} and "table" = 'session_reports'`.execute(world.warehouse.db)
  expect(rows).toEqual([{ state: 'incomplete', deletions_held: expect.any(Number) }])
  expect(rows).not.toMatchObject([{ deletions_held: 0 }])
  await approveDeletions(world.warehouse, { account, runId: held.runId })
  await world.advance(2 * HOUR_MS)
  await part(sessionReports, { from: '2026-07-01', to: '2026-07-08' })
  const months = await lostMonths()
  const again = await part(sessionReports, { from: `${months[0]}-25`, to: `${months[0]}-26` })
  expect(again.trippedGuards.length).toBeGreaterThan(0)
  expect(again.tables.session_reports?.deleted).toBe(0)
  expect(await openReleases()).toBe(1)
  const whole = await sync(sessionReports)
  expect(whole).toMatchObject({ state: 'complete', trippedGuards: [] })
  expect(whole.tables.session_reports?.deleted).toBeGreaterThan(100)
})

test('a range holds back its share of what a whole run holds back', async () => {
  await sync(sessionReports)
  const { rows } = await sql<{ id: string }>`
    select id from svc.session_reports where start_time >= '2026-03-05' and start_time < '2026-03-25'
    order by start_time limit 30`.execute(world.warehouse.db)
  // Fewer than the 50 rows that a whole run may lose, but many of this range.
  expect(rows.length).toBeGreaterThan(20)
  await world.mutate({ ops: rows.map(({ id }) => ({ kind: 'sessions', action: 'remove', id })) })
  await part(sessionReports, MARCH)
  await world.advance(2 * HOUR_MS)
  const again = await part(sessionReports, MARCH)
  expect(again.trippedGuards).toMatchObject([{ stream: 'session_reports', missing: rows.length }])
  expect(again.tables.session_reports).toMatchObject({ deleted: 0 })
})

test('a plan of a part counts the calls of its windows, even if an unfinished run read them', async () => {
  await sync(sessionReports)
  await fault({ operation: 'session_reports.list', kind: 'daily-limit', after: 11 })
  expect(await sync(sessionReports, { full: true })).toMatchObject({ state: 'paused' })
  const jobs = choose(sessionReports, MARCH)
  const { streams } = await planRun(world.account.deps, { account, jobs, full: true })
  expect(streams).toMatchObject([{ stream: 'session_reports', slices: 3, atLeast: false }])
})

function choose(job: Job, asked: AskedPart): Job[] {
  return choosePart([job], asked, { nowMs: Date.parse(WORLD_NOW), historyDays: 180 })
}

async function part(job: Job, asked: AskedPart): Promise<RunResult> {
  const [result] = await world.sync({ jobs: choose(job, asked), full: true })
  if (result === undefined) throw new Error('there was no run')
  return result
}

async function sync(job: Job, options: { full?: boolean } = {}): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], ...options })
  if (result === undefined) throw new Error('there was no run')
  return result
}

const fault = (rule: object) => world.faults([rule])

async function slicesOf({ runId }: RunResult): Promise<string[]> {
  const { rows } = await sql<{ slice: string }>`
    select slice from callsheet.slices where run_id = ${runId} order by slice`.execute(
    world.warehouse.db,
  )
  return rows.map(({ slice }) => slice)
}

/** Removes reports of old windows, which a nightly run does not read. */
async function loseReports(): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from svc.session_reports order by start_time offset 100 limit 150`.execute(
    world.warehouse.db,
  )
  await world.mutate({ ops: rows.map(({ id }) => ({ kind: 'sessions', action: 'remove', id })) })
}

/** The months with the most rows that the service no longer shows. */
async function lostMonths(): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    select to_char(r.start_time at time zone 'UTC', 'YYYY-MM') as month
    from callsheet.deletion_candidates c join svc.session_reports r on r.id = c.key[1]
    group by 1 order by count(*) desc`.execute(world.warehouse.db)
  return rows.map(({ month }) => month)
}

async function openReleases(): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*)::int as open from callsheet.deletion_guards
    where approved_at is not null and used_by_run_id is null`.execute(world.warehouse.db)
  return rows[0]?.open ?? 0
}
