import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, type World } from '../helpers/world.ts'

const only = (name: string) => jobs.filter((job) => job.name === name)
const streamsOf = (name: string) => only(name).flatMap((job) => job.streams)
const HOUR_MS = 3_600_000
let world: World

beforeEach(async () => {
  world = await openWorld({ seed: 31 })
})
afterEach(() => world.close())

test('a session report counts as deleted only after two complete reads an hour apart', async () => {
  const reports = { jobs: only('session-reports') }
  await world.sync(reports)
  const { rows } = await sql<{ id: string }>`
    select id from svc.session_reports order by start_time desc limit 3`.execute(world.warehouse.db)
  await world.mutate({ ops: rows.map(({ id }) => ({ kind: 'sessions', action: 'remove', id })) })
  const deleted = async () => (await world.sync(reports))[0]?.tables.session_reports?.deleted
  expect(await deleted()).toBe(0)
  await world.advance(HOUR_MS / 2)
  expect(await deleted()).toBe(0)
  await world.advance(HOUR_MS / 2)
  expect(await deleted()).toBe(3)
  await expectTruth(world.warehouse, world.sandbox, {
    account: 'account-0',
    streams: streamsOf('session-reports'),
  })
  const kept = await sql<{ kept: number }>`
    select count(*) as kept from history.session_reports where _end = 'deleted'`.execute(
    world.warehouse.db,
  )
  expect(kept.rows[0]?.kept).toBe(3)
})

test('a read that began within the hour confirms no deletion, even if it ends later', async () => {
  const reports = { jobs: only('session-reports') }
  await world.sync(reports)
  const { rows } = await sql<{ id: string }>`
    select id from svc.session_reports order by start_time desc limit 3`.execute(world.warehouse.db)
  await world.mutate({ ops: rows.map(({ id }) => ({ kind: 'sessions', action: 'remove', id })) })
  await world.sync(reports)
  await world.advance(HOUR_MS / 2)
  const { deps } = world.account
  let tookMs = 0
  const fetchPage: typeof deps.client.fetchPage = async (...asked) => {
    const page = await deps.client.fetchPage(...asked)
    tookMs = HOUR_MS / 2
    return page
  }
  const slow = {
    ...deps,
    client: { ...deps.client, fetchPage },
    clock: { ...deps.clock, now: () => deps.clock.now() + tookMs },
  }
  const { signal } = new AbortController()
  const [soon] = await syncAccount(slow, { account: 'account-0', ...reports, signal })
  expect(soon).toMatchObject({ state: 'complete', tables: { session_reports: { deleted: 0 } } })
  await world.advance(HOUR_MS / 2)
  const [late] = await world.sync(reports)
  expect(late?.tables.session_reports?.deleted).toBe(3)
})

test('a report missing from only one faulty read is no longer a deletion candidate', async () => {
  const reports = { jobs: only('session-reports') }
  await world.sync(reports)
  await world.faults([{ kind: 'empty-list', operation: 'session_reports.list', count: 1 }])
  await world.sync(reports)
  await world.faults([])
  await world.sync(reports)
  await world.advance(2 * HOUR_MS)
  const [result] = await world.sync(reports)
  expect(result?.tables.session_reports?.deleted).toBe(0)
  const left = await sql`select 1 from callsheet.deletion_candidates`.execute(world.warehouse.db)
  expect(left.rows).toEqual([])
})

test('a drop above the limit deletes nothing until a person approves it', async () => {
  const numbers = { jobs: only('phone-numbers') }
  await world.sync(numbers)
  const ops = Array.from({ length: 120 }, (_, index) => ({
    kind: 'numbers',
    action: 'remove',
    index,
  }))
  await world.mutate({ ops })
  const [trippedGuards] = await world.sync(numbers)
  expect(trippedGuards).toMatchObject({
    state: 'incomplete',
    trippedGuards: [{ stream: 'phone_numbers', missing: 120, owned: 500 }],
  })
  expect(trippedGuards?.tables.phone_numbers).toMatchObject({ deleted: 0, present: 500 })
  const runId = trippedGuards?.runId ?? 0
  expect(await approveDeletions(world.warehouse, { account: 'account-0', runId })).toEqual([
    'phone_numbers',
  ])
  const [released] = await world.sync(numbers)
  expect(released).toMatchObject({ state: 'complete', trippedGuards: [] })
  expect(released?.tables.phone_numbers).toMatchObject({ deleted: 120, present: 380 })
  await expectTruth(world.warehouse, world.sandbox, {
    account: 'account-0',
    streams: streamsOf('phone-numbers'),
  })
})

test('a deleted row that returns is restored, not inserted again', async () => {
  const users = { jobs: only('users') }
  await world.sync(users)
  await sql`update svc.users set _deleted_at = callsheet.clock() where id in (select id
    from svc.users limit 2)`.execute(world.warehouse.db)
  const [result] = await world.sync(users)
  expect(result?.tables.users).toMatchObject({ inserted: 0, updated: 2, deleted: 0 })
  await expectTruth(world.warehouse, world.sandbox, {
    account: 'account-0',
    streams: streamsOf('users'),
  })
})

test('a changed row keeps its previous version; a changed noisy field adds no version', async () => {
  const users = { jobs: only('users') }
  await world.sync(users)
  await sql`update svc.users set last_name = 'Before', _hash = sha256('x') where id = (select min(id)
    from svc.users)`.execute(world.warehouse.db)
  await sql`update svc.users set last_client_version = '0.0.0',
    _raw = _raw || '{"last_client_version":"0.0.0"}',
    _hash = substr(_hash, 1, 12) || '\\x00000000'::bytea
    where id = (select max(id) from svc.users where status = 'active')`.execute(world.warehouse.db)
  const [result] = await world.sync(users)
  expect(result?.tables.users).toMatchObject({ inserted: 0, updated: 1, deleted: 0 })
  const versions = await sql<{ last_name: string; _end: string }>`
    select last_name, _end from history.users`.execute(world.warehouse.db)
  expect(versions.rows).toEqual([{ last_name: 'Before', _end: 'changed' }])
  await expectTruth(world.warehouse, world.sandbox, {
    account: 'account-0',
    streams: streamsOf('users'),
  })
})

test('a report that moves to the next window is not deleted', async () => {
  const reports = { jobs: only('session-reports') }
  await world.sync(reports)
  // The warehouse has these reports a day later than the service shows them now.
  await sql`update svc.session_reports set start_time = start_time + interval '18 hours', _hash = sha256('x')
    where id in (select id from svc.session_reports order by start_time desc limit 60)`.execute(
    world.warehouse.db,
  )
  for (const hours of [0, 2, 2]) {
    await world.advance(hours * HOUR_MS)
    const [result] = await world.sync(reports)
    expect(result?.tables.session_reports).toMatchObject({ deleted: 0 })
  }
  await expectTruth(world.warehouse, world.sandbox, {
    account: 'account-0',
    streams: streamsOf('session-reports'),
  })
})

test('empty responses on two nights delete no report', async () => {
  const reports = { jobs: only('session-reports') }
  await world.sync(reports)
  await world.faults([{ kind: 'empty-list', operation: 'session_reports.list' }])
  for (const night of [1, 2]) {
    await world.advance(24 * HOUR_MS)
    const [result] = await world.sync(reports)
    expect({
      night,
      state: result?.state,
      deleted: result?.tables.session_reports?.deleted,
    }).toEqual({
      night,
      state: 'incomplete',
      deleted: 0,
    })
  }
})

test('one approval releases all windows of a drop of session reports', async () => {
  const reports = { jobs: only('session-reports') }
  await world.sync(reports)
  const { rows } = await sql<{ id: string }>`
    select id from svc.session_reports order by start_time desc limit 220`.execute(
    world.warehouse.db,
  )
  await world.mutate({ ops: rows.map(({ id }) => ({ kind: 'sessions', action: 'remove', id })) })
  const [trippedGuards] = await world.sync(reports)
  expect(trippedGuards?.trippedGuards).toMatchObject([{ missing: 220 }])
  await approveDeletions(world.warehouse, {
    account: 'account-0',
    runId: trippedGuards?.runId ?? 0,
  })
  await world.advance(2 * HOUR_MS)
  const [released] = await world.sync(reports)
  expect(released).toMatchObject({ state: 'complete', trippedGuards: [] })
  expect(released?.tables.session_reports?.deleted).toBe(220)
})

test('an unreadable detail response keeps the row and is reported as a problem', async () => {
  const users = { jobs: only('users') }
  await world.sync(users)
  await world.mutate({ ops: [0, 1].map((index) => ({ kind: 'users', action: 'remove', index })) })
  await world.faults([{ kind: 'html', operation: 'users.get' }])
  const [unread] = await world.sync(users)
  expect(unread).toMatchObject({
    state: 'incomplete',
    slices: { users: { planned: 4, complete: 4 } },
  })
  expect(unread?.tables.users?.deleted).toBe(0)
  expect(unread?.problems).toHaveLength(1)
  await world.faults([])
  const [read] = await world.sync(users)
  expect(read).toMatchObject({ state: 'complete', tables: { users: { deleted: 2 } } })
})
