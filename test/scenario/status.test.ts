import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import sessionReports from '../../jobs/session-reports.ts'
import users from '../../jobs/users.ts'
import type { Job } from '../../src/core/define/job.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { readStatus, type StreamStatus } from '../../src/serve/health/read-status.ts'
import { planRun } from '../../src/sync/plan-run.ts'
import { remakeAllStates } from '../helpers/slice-states.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

const account = 'account-0'
let world: World
let nowMs: number
beforeEach(async () => {
  nowMs = Date.parse(WORLD_NOW)
  world = await openWorld({ sizes: TINY })
})
afterEach(() => world.close())

async function advance(days: number): Promise<void> {
  nowMs += days * DAY_MS
  await world.advance(days * DAY_MS)
}

async function statusOf(job: Job): Promise<StreamStatus | undefined> {
  return (await readStatus(world.warehouse, { account, jobs: [job], nowMs })).jobs[0]?.streams[0]
}

async function sync(job: Job, full = false): Promise<string | undefined> {
  return (await world.sync({ jobs: [job], full }))[0]?.state
}

test('the time of the oldest read ignores windows that are no longer read', async () => {
  expect(await sync(sessionReports, true)).toBe('complete')
  const before = await statusOf(sessionReports)
  // Seven months, and the days around the six ends between months.
  expect(before?.slices).toBe(13)
  for (const days of [1, 1, 60]) {
    await advance(days)
    expect(await sync(sessionReports, true)).toBe('complete')
    const status = await statusOf(sessionReports)
    expect(nowMs - Date.parse(status?.oldestReading ?? '')).toBeLessThan(DAY_MS)
    expect(Math.abs((status?.slices ?? 0) - (before?.slices ?? 0))).toBeLessThanOrEqual(2)
  }
})

test('a failed window no longer counts as failed once no run reads it anymore', async () => {
  expect(await sync(sessionReports)).toBe('complete')
  await advance(1)
  // Months are read after the days around their ends, so the fault skips these six calls.
  await world.faults([{ kind: 'status', status: 500, operation: 'session_reports.list', after: 6 }])
  expect(await sync(sessionReports, true)).toBe('incomplete')
  expect((await statusOf(sessionReports))?.failed).toBeGreaterThan(0)
  await world.faults([])
  await advance(40)
  expect(await sync(sessionReports)).toBe('complete')
  expect(await statusOf(sessionReports)).toMatchObject({ failed: 0 })
})

test('the plan is exact one night later, because the oldest slice keeps its name', async () => {
  expect(await sync(sessionReports)).toBe('complete')
  await advance(1)
  const { warehouse, clock } = world.account.deps
  const plan = await planRun({ warehouse, clock }, { account, jobs: [sessionReports] })
  expect(plan.streams[0]).toMatchObject({ atLeast: false })
  expect(plan.streams[0]?.slices).toBeGreaterThan(0)
})

test('quarantined records are reported until a read of their slice has none', async () => {
  expect(await sync(users)).toBe('complete')
  await sql`update callsheet.slices set quarantined = 2, checked = false
    where slice = 'status=active'`.execute(world.warehouse.db)
  await remakeAllStates(world.warehouse.db)
  await sql`insert into callsheet.quarantine (account, stream, slice, run_id, at, reason, payload)
    values (${account}, 'users', 'status=active', 1, callsheet.clock(), 'id is missing', '{}')`.execute(
    world.warehouse.db,
  )
  expect(await statusOf(users)).toMatchObject({ quarantined: 2 })
  expect(await sync(users)).toBe('complete')
  expect(await statusOf(users)).toMatchObject({ quarantined: 0 })
})
