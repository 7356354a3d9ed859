import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import sessionReports from '../../jobs/session-reports.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const account = 'account-0'
const COPIES = 10_000
let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY })
})
afterEach(() => world.close())

test('two large windows that become empty trip the deletion guard and are released together', async () => {
  const jobs = [sessionReports]
  await world.sync({ jobs })
  await multiplyTwoReports()
  await world.faults([{ kind: 'empty-list', operation: 'session_reports.list' }])
  const held = await syncInHaste()
  expect(held).toMatchObject({ state: 'incomplete', tables: { session_reports: { deleted: 0 } } })
  expect(await candidates()).toBeGreaterThan(2 * COPIES)
  expect(held.trippedGuards.reduce((sum, { missing }) => sum + missing, 0)).toBe(await candidates())
  await approveDeletions(world.warehouse, { account, runId: held.runId })
  await world.faults([])
  await world.advance(2 * 3_600_000)
  expect(await syncInHaste()).toMatchObject({
    state: 'complete',
    trippedGuards: [],
    tables: { session_reports: { deleted: 2 * COPIES } },
  })
  expect(await candidates()).toBe(0)
})

/** Adds the same number of rows, unknown to the service, to each of two windows. */
async function multiplyTwoReports(): Promise<void> {
  const { db } = world.warehouse
  await sql`insert into svc.session_reports
    select (jsonb_populate_record(r, jsonb_build_object('id', 'copy-' || n || r.id, '_raw', '{}'::jsonb))).*
    from svc.session_reports r, generate_series(1, ${COPIES}) n
    where r.id in (select id from svc.session_reports where start_time in (
      select min(start_time) from svc.session_reports
      union select max(start_time) from svc.session_reports))`.execute(db)
}

/** Syncs with a short lock timeout: no group may wait long for a row that another has locked. */
async function syncInHaste(): Promise<RunResult> {
  const { deps } = world.account
  const warehouse = connect({
    url: world.place.databaseUrl,
    frozenNow: deps.clock.now(),
    poolSize: 8,
    lockTimeoutMs: 200,
  })
  const signal = new AbortController().signal
  const options = { account, jobs: [sessionReports], full: true, signal }
  const results = await syncAccount({ ...deps, warehouse }, options)
  await warehouse.close()
  const [result] = results
  if (result === undefined) throw new Error('there was no run')
  return result
}

async function candidates(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from callsheet.deletion_candidates`.execute(world.warehouse.db)
  return rows[0]?.count ?? 0
}
