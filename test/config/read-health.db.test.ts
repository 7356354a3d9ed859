import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { jobs as allJobs } from '../../src/account/catalog.ts'
import { recordVerification } from '../../src/audit/verify/verifications.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Config } from '../../src/config/schema.ts'
import type { Cause } from '../../src/core/define/cause.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { readHealth } from '../../src/serve/health/account-health.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import { openWorld, TINY, type World, type WorldOptions } from '../helpers/world.ts'

const account = 'account-0'
const HOUR_MS = 3_600_000
let world: World
afterEach(() => world.close())

const open = async (options: WorldOptions = {}): Promise<void> => {
  world = await openWorld({ sizes: TINY, ...options })
}

test('the health check reports an overdue or failing job until the job completes', async () => {
  await open()
  expect(await health('users')).toMatchObject([
    { code: 'job_overdue', subject: 'all jobs', level: 'amber' },
  ])
  await sync('users')
  expect(await health('users')).toEqual([])
  // The grace ends at 04:00 of the next night, three hours after the due time.
  await world.advance(25.5 * HOUR_MS)
  expect(await health('users')).toEqual([])
  await world.advance(HOUR_MS)
  const overdue = { code: 'job_overdue', subject: 'all jobs', level: 'red', account }
  expect(await health('users')).toMatchObject([
    { ...overdue, sinceMs: Date.parse('2026-07-09T01:00:00Z') },
  ])
  await world.faults([{ kind: 'status', status: 500, operation: 'users.list' }])
  for (const failed of [1, 2, 3]) {
    await sync('users')
    expect([failed, await health('users')]).toMatchObject([
      failed,
      [
        {
          code: 'job_failing',
          subject: 'service_unavailable',
          sentence: 'The service is not available: HTTP 500 with code 500. The job users fails.',
          todo: 'Run again later; the fault is in the service.',
        },
      ],
    ])
  }
  expect(await health('recordings')).toMatchObject([{ code: 'job_overdue', subject: 'all jobs' }])
  expect(await health()).toEqual([])
  await world.faults([])
  await sync('users')
  expect(await health('users')).toEqual([])
})

test('the health check reports held-back deletions until they are approved or the rows return', async () => {
  await open()
  await sync('users')
  await world.faults([{ kind: 'empty-list', operation: 'users.list' }])
  const runs = [await sync('users', true), await sync('users', true)]
  const waiting = await health('users')
  const drop = waiting.filter(({ code }) => code === 'drop_waiting')
  expect(drop).toMatchObject([
    {
      subject: 'users',
      level: 'red',
      todo: expect.stringContaining(`callsheet sync --approve ${runs[1]?.runId}`),
    },
  ])
  // The waiting job is no second cause.
  expect(waiting).toEqual(drop)
  for (const { runId } of runs) await approveDeletions(world.warehouse, { account, runId })
  expect(await health('users')).toEqual([])
  await world.faults([])
  await sync('users', true)
  expect(await health('users')).toEqual([])
})

test('the health check reports a stream as amber if never allowed, red if no longer allowed', async () => {
  const scopes = ['list_sip_trunks', 'list_sip_groups'].map(
    (name) => `number_management:read:${name}:admin`,
  )
  await open({ accounts: [{ scopes }] })
  await sync('number-settings')
  const before = await health('number-settings')
  expect(before).toMatchObject([
    {
      code: 'not_allowed',
      subject: 'missing scopes, never read',
      level: 'amber',
      sentence: expect.stringMatching(
        /^carrier_.* are not allowed, and were never read: the token lacks the scope number_man[^.]*\.$/,
      ),
      todo: expect.stringMatching(/^Add the scope number_man[^.]*, then run `callsheet logout`\.$/),
    },
  ])
  expect(before[0]?.sentence).not.toContain('list_sip_trunks')
  const { clientId } = world.sandbox.credentials[0]!
  const body = JSON.stringify({ clientId, scopes: scopes.slice(1) })
  await fetch(`${world.sandbox.url}/__sandbox/app-scopes`, { method: 'POST', body })
  // The old token has expired, so a new one is requested.
  await world.advance(2 * HOUR_MS)
  await sync('number-settings')
  const [lost, ...others] = await health('number-settings')
  expect(lost).toMatchObject({
    code: 'not_allowed',
    subject: 'missing scopes',
    level: 'red',
    sentence: expect.stringMatching(
      /^sip_trunks is not allowed, and was read before: the token lacks/,
    ),
    sinceMs: world.account.deps.clock.now(),
  })
  expect(others).toEqual(before)
})

test('the health check reports overdue erasures and broken evidence', async () => {
  await open({ archive: { files: true } })
  await sync('users')
  expect(await health('users')).toEqual([])
  await sql`insert into callsheet.erasure_requests
    (account, subject, source, asked_at, requested_at, due_at)
    values (${account}, 'user:somebody', 'command', callsheet.clock(), callsheet.clock(),
      callsheet.clock())`.execute(world.warehouse.db)
  await sql`insert into callsheet.runs (account, job, epoch, state, started_at, finished_at, summary, planned)
    select account, 'evidence', epoch, 'incomplete', callsheet.clock(), callsheet.clock(),
      '{"evidence": {"unexplained": 2}}', '{}' from callsheet.runs limit 1`.execute(
    world.warehouse.db,
  )
  await recordVerification(world.warehouse.db, { account, findings: 2 })
  await world.advance(24.5 * HOUR_MS)
  await sync('users')
  const causes = await health('users')
  expect(causes).toMatchObject([
    { code: 'erasure_due', level: 'red' },
    { code: 'evidence_broken', level: 'red', sentence: expect.stringContaining('2 log entries') },
    { code: 'evidence_broken', level: 'red', subject: 'verification' },
  ])
  expect(JSON.stringify(causes)).not.toContain('somebody')
  await recordVerification(world.warehouse.db, { account, findings: 0 })
  const subjects = (await health('users')).map(({ subject }) => subject)
  expect(subjects).not.toContain('verification')
})

test('the health check reports quarantined records as amber until a read stores all records', async () => {
  await open({ altered: true })
  await sync('users')
  expect(await health('users')).toEqual([])
  const sinceMs = world.account.deps.clock.now() + HOUR_MS
  await world.advance(HOUR_MS)
  world.ways.tell = (asked, { body }) => {
    if (!asked.path.endsWith('/users')) return
    for (const list of Object.values(body as object)) if (Array.isArray(list)) list.push({})
  }
  await sync('users', true)
  const [cause] = await health('users')
  expect(cause).toMatchObject({
    code: 'records_quarantined',
    subject: 'users',
    level: 'amber',
    sentence: expect.stringMatching(
      /^[1-9]\d* records? of users could not be stored and (was|were) quarantined\.$/,
    ),
    sinceMs,
  })
  // Neither a failed read nor another read with such records changes the cause.
  await world.advance(HOUR_MS)
  await sync('users', true)
  await world.faults([{ kind: 'status', status: 500, operation: 'users.list' }])
  await sync('users', true)
  expect(await health('users')).toEqual([cause])
  await world.faults([])
  delete world.ways.tell
  await sync('users', true)
  expect(await health('users')).toEqual([])
})

test('the health check reports a short quota if the rest of the day needs more calls', async () => {
  await open({ settings: { quotas: { MEDIUM: { perSecond: 900, perDay: 1000 } } } })
  await sync('users')
  await spend(999)
  // All of today's work is done.
  expect(await health('users')).toEqual([])
  await world.advance(23 * HOUR_MS)
  expect(await health('users')).toEqual([])
  await spend(999)
  expect(await health('users')).toMatchObject([
    {
      code: 'quota_short',
      subject: 'MEDIUM',
      level: 'amber',
      sentence: expect.stringMatching(/need [4-9] MEDIUM calls; the daily quota has 1 left/),
    },
  ])
})

async function sync(job: string, full = false) {
  const [result] = await world.sync({ jobs: allJobs.filter(({ name }) => name === job), full })
  if (result === undefined) throw new Error('there was no run')
  return result
}

/** Sets how many calls were made today. */
async function spend(calls: number): Promise<void> {
  await sql`insert into callsheet.quota (account, pool, day, spent)
    values (${account}, 'MEDIUM', (callsheet.clock() at time zone 'UTC')::date, ${calls})
    on conflict (account, pool, day) do update set spent = ${calls}`.execute(world.warehouse.db)
}

/** The causes in an account whose configuration enables only this job. */
async function health(job?: string, settings: Partial<Config> = {}): Promise<Cause[]> {
  const { config } = loadConfig({ path: world.place.configFile, jobs: allJobs, environment: {} })
  const jobs = Object.entries(config.jobs).map(([name, schedule]) => [
    name,
    name === job ? schedule : 'never',
  ])
  const { clock } = world.account.deps
  const changed = { ...config, ...settings, jobs: Object.fromEntries(jobs) as Config['jobs'] }
  const wiring = { config: changed, clock, observer: silentObserver }
  const { warehouse } = world
  const opened = { wiring, warehouse, embedded: false, close: async () => {} }
  return (await readHealth(opened, world.account.settings)).causes
}
