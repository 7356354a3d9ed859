import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import sessionReports from '../../jobs/session-reports.ts'
import users from '../../jobs/users.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { byStream, type Reconciled, reconcile } from './reconciliation-fixture.ts'

const DAY = '2026-07-08'
let world: World
let directory: string
let book: Reconciled
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'callsheet-volume-'))
  world = await openWorld({ sizes: TINY })
  await world.sync({ jobs: [sessionReports, users] })
  await silence()
  book = await reconcile(world.warehouse, { directory, day: DAY })
})
afterAll(async () => {
  await world.close()
  rmSync(directory, { recursive: true })
})

describe('the reconciliation of a day with a silent stream and kind of notification', () => {
  const stream = 'o record of session_reports began since 2026-07-02, where about 180 were expected'

  it('does not balance, with the same reason as in status', () => {
    const { session_reports: line, users: other } = byStream(book, 'Streams')
    expect(line).toMatchObject({ Verdict: 'low volume', Reason: `n${stream}` })
    expect(other).toMatchObject({ Verdict: 'balanced' })
    const ask = 'If people worked as usual, ask the service’s support why its lists lack records.'
    const summary = book.records('Summary', 'Verdict')
    expect(summary.filter(({ Verdict }) => Verdict === 'low volume')).toEqual([
      {
        Verdict: 'low volume',
        'Streams, and what to do': `session_reports: n${stream}. ${ask}`,
        Streams: 1,
      },
    ])
  })

  it('reports both at the top and in a table, and is not settled', () => {
    const text = JSON.stringify(book.cells('Summary'))
    expect(text).toContain('1 has far fewer records than before')
    expect(text).toContain(`N${stream}.`)
    const notified =
      'No notification of visitor_management.checked_in arrived since 2026-07-02, where about 180 were'
    expect(text).toContain(notified)
    expect(book.records('Summary', 'Stream or notification')).toMatchObject([
      { 'Stream or notification': 'session_reports', Actual: 0, Expected: 180 },
      { 'Stream or notification': 'visitor_management.checked_in', Actual: 0, Expected: 180 },
    ])
    expect(JSON.stringify(book.cells('Provenance'))).toContain(`N${stream}.`)
    expect(book.settled).toBe(false)
  })

  it('reports nothing about the day before the silence', async () => {
    const before = await reconcile(world.warehouse, { directory, day: '2026-07-01' })
    expect(JSON.stringify(before.cells('Summary'))).not.toContain('where about')
  })
})

/** Makes the newest run count no records in the last six days, after thirty a day before. */
async function silence(): Promise<void> {
  const fromDay = Math.floor(Date.parse(WORLD_NOW) / DAY_MS) - 182
  const counts = (silent: number) =>
    Array.from({ length: 182 }, (_, at) => (at < 182 - silent ? 30 : 0))
  const kept = { fromDay, lateDays: 0, firstMs: 0, atMs: Date.parse(WORLD_NOW) }
  const days = JSON.stringify([
    { ...kept, stream: 'session_reports', counts: counts(6) },
    { ...kept, stream: 'visitor_management.checked_in', notifications: true, counts: counts(6) },
    { ...kept, stream: 'recording_sessions', counts: counts(0) },
  ])
  await sql`update callsheet.runs set summary = jsonb_set(summary, '{days}', ${days}::jsonb)
    where job = 'session-reports'`.execute(world.warehouse.db)
}
