import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import sessionReports from '../../jobs/session-reports.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const account = 'account-0'
const HOUR_MS = 3_600_000
let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: { ...TINY, sessions: 700 } })
})
afterEach(() => world.close())

test('an unused approval does not release a later drop', async () => {
  await sync()
  await fault({ kind: 'empty-list' })
  const ill = await sync()
  expect(ill.trippedGuards.length).toBeGreaterThan(0)
  await release(ill)
  await world.faults([])
  expect(await sync()).toMatchObject({ state: 'complete', trippedGuards: [] })
  expect(await openReleases()).toBe(0)
  await fault({ kind: 'empty-list' })
  for (const night of [1, 2]) {
    await world.advance(24 * HOUR_MS)
    const { state, trippedGuards, tables } = await sync()
    expect({ night, state, deleted: tables.session_reports?.deleted }).toEqual({
      night,
      state: 'incomplete',
      deleted: 0,
    })
    expect(trippedGuards.length).toBeGreaterThan(0)
  }
})

test('an approval takes effect at least an hour after the first read, also in old windows', async () => {
  await sync()
  await loseReports()
  await release(await sync({ full: true }))
  expect(await sync()).toMatchObject({
    state: 'complete',
    trippedGuards: [],
    tables: { session_reports: { deleted: 0 } },
  })
  expect(await openReleases()).toBe(1)
  await world.advance(2 * HOUR_MS)
  const late = await sync()
  expect(late).toMatchObject({ state: 'complete', trippedGuards: [] })
  // Windows that lost few rows did not need the approval, and may not be read again for a month.
  expect(late.tables.session_reports?.deleted).toBeGreaterThan(100)
  expect(await openReleases()).toBe(0)
})

test('an approval of a paused run waits until the held-back windows are read again', async () => {
  await sync()
  await loseReports()
  await fault({ kind: 'daily-limit', after: 11 })
  const cut = await sync({ full: true })
  expect(cut.state).toBe('paused')
  expect(cut.trippedGuards.length).toBeGreaterThan(0)
  await release(cut)
  await world.faults([])
  await world.advance(24 * HOUR_MS)
  expect(await sync()).toMatchObject({ tables: { session_reports: { deleted: 0 } } })
  expect(await openReleases()).toBe(1)
  await world.advance(2 * HOUR_MS)
  expect((await sync()).tables.session_reports?.deleted).toBeGreaterThan(50)
  expect(await openReleases()).toBe(0)
})

async function sync(options: { full?: boolean } = {}): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [sessionReports], ...options })
  if (result === undefined) throw new Error('there was no run')
  return result
}

const fault = (rule: object) => world.faults([{ operation: 'session_reports.list', ...rule }])

/** Removes reports of old windows, which a nightly run does not read. */
async function loseReports(): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from svc.session_reports order by start_time offset 100 limit 150`.execute(
    world.warehouse.db,
  )
  await world.mutate({ ops: rows.map(({ id }) => ({ kind: 'sessions', action: 'remove', id })) })
}

async function release({ runId }: RunResult): Promise<void> {
  expect(await approveDeletions(world.warehouse, { account, runId })).toEqual(['session_reports'])
}

async function openReleases(): Promise<number> {
  const { rows } = await sql<{
    open: number
  }>`select count(*)::int as open from callsheet.deletion_guards
    where approved_at is not null and used_by_run_id is null`.execute(world.warehouse.db)
  return rows[0]?.open ?? 0
}
