import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import recordings from '../../../jobs/recordings.ts'
import sessionReports from '../../../jobs/session-reports.ts'
import users from '../../../jobs/users.ts'
import { DAY_MS } from '../../../src/core/time/time.ts'
import { keptDays } from '../../../src/warehouse/load/daily-counts.ts'
import { openWorld, TINY, type World } from '../../helpers/world.ts'

let world: World
const account = 'account-0'
const today = (): number => Math.floor(world.account.deps.clock.now() / DAY_MS)
beforeAll(async () => {
  world = await openWorld({ sizes: { ...TINY, sessions: 600, recordings: 300 }, altered: true })
})
afterAll(() => world.close())

it('a run keeps earlier daily counts, and counts only the days read since then', async () => {
  // The service shows the reports of ten days three months ago only later.
  const from = today() - 90
  const late = (at: string): boolean => Math.abs(Date.parse(at) / DAY_MS - from) < 5
  world.ways.tell = (asked, { body }) => {
    const page = body as { sessions?: { start_time: string }[] }
    if (!asked.path.includes('/videosdk/sessions') || page.sessions === undefined) return
    page.sessions = page.sessions.filter(({ start_time: at }) => !late(at))
  }
  await sync(sessionReports, recordings)
  await expectTrue('session_reports', 'recording_sessions', 'recording_files')
  const first = await countsOf('session_reports')
  await world.advance(DAY_MS)
  delete world.ways.tell
  await world.mutate()
  await sync(recordings)
  // Counts of streams that no run has read since stay unchanged.
  expect(await countsOf('session_reports')).toEqual(first)
  await world.sync({ jobs: [sessionReports], full: true })
  await expectTrue('session_reports', 'recording_sessions', 'recording_files')
  expect(await countsOf('session_reports')).not.toEqual(first)
})

it('a failed run keeps the daily counts of the run before it', async () => {
  const before = await kept()
  await world.faults([{ kind: 'status', status: 500, operation: 'session_reports.list' }])
  const [failed] = await world.sync({ jobs: [sessionReports], full: true })
  expect(failed?.state).not.toBe('complete')
  await world.faults([])
  expect(await kept()).toEqual(before)
})

it('the first run of a day counts notifications of each documented kind, whatever its job', async () => {
  await notify('svcroom.alert', 'stored', 5)
  await notify('nobody.knows', 'unknown', 5)
  await world.advance(DAY_MS)
  await sync(users)
  expect(await notifications()).toEqual([['svcroom.alert', 'users', [0, 0, 5]]])
  await sync(sessionReports)
  expect(await notifications()).toEqual([['svcroom.alert', 'users', [0, 0, 5]]])
  await world.advance(DAY_MS)
  await notify('svcroom.alert', 'applied', 3)
  await world.advance(DAY_MS)
  await sync(sessionReports)
  const counted = ['svcroom.alert', 'session-reports', [5, 0, 3]]
  expect(await notifications()).toEqual([counted])
  await sync(users)
  expect(await notifications()).toEqual([counted])
})

async function sync(...jobs: (typeof users)[]): Promise<void> {
  for (const { state } of await world.sync({ jobs })) expect(state).toBe('complete')
}

async function kept() {
  return await keptDays(world.warehouse.db, { account })
}

async function notifications() {
  const all = (await kept()).filter(({ notifications: is }) => is === true)
  return all.map(({ stream, job, counts }) => [stream, job, counts.slice(-3)])
}

async function countsOf(stream: string): Promise<[number, number][]> {
  const one = (await kept()).find((series) => series.stream === stream)
  const days = (one?.counts ?? []).map((rows, at): [number, number] => [
    (one?.fromDay ?? 0) + at,
    rows,
  ])
  return days.filter(([, rows]) => rows > 0)
}

/** Each stored series equals a count of the whole table. */
async function expectTrue(...streams: string[]): Promise<void> {
  for (const stream of streams) {
    const of = stream === 'session_reports' ? 'session_reports' : 'recording_sessions'
    const joined =
      stream === of ? sql`` : sql`join ${sql.id('svc', stream)} t using (account, session_id)`
    const { rows } = await sql<{ day: number; rows: number }>`
      select floor(extract(epoch from r.start_time) / 86400)::int as day, count(*)::int as rows
      from ${sql.id('svc', of)} r ${joined}
      where account = ${account} and r.start_time >= to_timestamp(${(today() - 182) * 86_400})
        and r.start_time < to_timestamp(${today() * 86_400})
      group by 1 order by 1`.execute(world.warehouse.db)
    expect(rows.length).toBeGreaterThan(30)
    expect([stream, await countsOf(stream)]).toEqual([
      stream,
      rows.map((row) => [row.day, row.rows]),
    ])
  }
}

async function notify(event: string, state: string, count: number): Promise<void> {
  const at = new Date(world.account.deps.clock.now()).toISOString()
  await sql`insert into callsheet.notifications (account, event, received_at, hash, state, subjects, findings,
    body) select ${account}, ${event}, ${at}::timestamptz, sha256((${at} || ${event} || n)::bytea), ${state},
    '{}', '{}', 'x' from generate_series(1, ${count}) n`.execute(world.warehouse.db)
}
