import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import users from '../../jobs/users.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { Job } from '../../src/core/define/job.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
})
afterEach(() => world.close())

const STREAMS = [
  {
    job: only(sessionReports, 'session_reports'),
    path: '/videosdk/sessions',
    id: 'id',
    days: ['2026-04-10', '2026-06-19'],
  },
  {
    job: only(whiteboardArchives, 'whiteboard_sessions', 'whiteboard_participants'),
    path: '/whiteboards/sessions',
    id: 'id',
    days: ['2026-04-10', '2026-06-19'],
  },
  {
    job: only(recordings, 'recording_sessions', 'recording_files'),
    path: '/videosdk/recordings',
    id: 'session_id',
    // Far enough apart that no list, which includes the day of its `to`, shows both.
    days: ['2026-05-15', '2026-06-15'],
  },
] as const

test.each(STREAMS)(
  'an ID in two windows of $path is reported, and its stored row stays',
  async (stream) => {
    const { job, days } = stream
    for (let night = 0; night < 2; night++) {
      show(stream, days)
      const both = await sync(job, night === 0)
      expect(both.state).toBe('incomplete')
      expect(both.problems.join('\n')).toMatch(
        /1 record appeared in two lists .* twin: start_time 2026-0\d-1\d/,
      )
      expect(Object.values(both.tables).every(({ deleted }) => deleted === 0)).toBe(true)
      expect(await parts(stream)).toBe(1)
      expect(both.read).toEqual([])
    }
    // The record on the only day that is still shown becomes the row.
    for (const day of [...days, days[0]]) {
      show(stream, [day])
      const moved = await sync(job, true)
      expect(moved).toMatchObject({ state: 'complete', problems: [] })
      expect(await start(stream)).toBe(day)
      expect(await parts(stream)).toBe(1)
    }
  },
)

test.each(STREAMS)(
  'an ID without a time in two windows of $path is reported, and the first row read is stored',
  async (stream) => {
    show(stream, stream.days, { start_time: 'soon' })
    for (let night = 0; night < 2; night++) {
      const both = await sync(stream.job, true)
      expect(both.state).toBe('incomplete')
      expect(both.problems.join('\n')).toMatch(
        /twin has no readable time and differs from the record in 2026-/,
      )
      // Whichever window answers first in a night decides which nested row is stored.
      expect(both.tables[stream.job.streams[0]!.name]).toMatchObject({ deleted: 0 })
      const deleted = Object.values(both.tables).reduce((sum, table) => sum + table.deleted, 0)
      expect(deleted).toBeLessThanOrEqual(1)
      expect(await parts(stream)).toBe(1)
    }
  },
)

test('a session with a start corrected during the read moves to its new window', async () => {
  const [stream] = STREAMS
  const [, second] = stream.days
  // The earlier month shows the session until it was requested once.
  let asked = false
  show(stream, stream.days)
  const tell = world.ways.tell
  world.ways.tell = (request, answer) => {
    if (request.query.get('from')?.startsWith('2026-04') === true && asked) return
    if (request.query.get('from')?.startsWith('2026-04') === true) asked = true
    return tell?.(request, answer)
  }
  expect(await sync(stream.job, true)).toMatchObject({ state: 'complete', problems: [] })
  expect(await start(stream)).toBe(second)
})

test('users keep their stored status if lists ignore the status filter and omit the field', async () => {
  const held = async () =>
    (
      await sql<{ id: string; status: string }>`select id, status from svc.users
        where _deleted_at is null order by id`.execute(world.warehouse.db)
    ).rows
  await sync(users, true)
  const before = await held()
  ignoreFilter()
  for (let night = 0; night < 2; night++) {
    const { state, problems, tables } = await sync(users, true)
    expect(state).toBe('incomplete')
    expect(problems.join('\n')).toMatch(/users: \d+ records appeared in two lists/)
    expect(problems.join('\n')).not.toContain('@')
    expect(tables.users).toMatchObject({ deleted: 0 })
    expect(await held()).toEqual(before)
  }
})

test('a service that ignores the status filter is complete only with several statuses', async () => {
  const shown = new Map<string | null, { users: { status: string }[]; total_records: number }>()
  world.ways.tell = ({ path, query }, told) => {
    if (!path.endsWith('/users')) return
    const body = told.body as { users: { status: string }[]; total_records: number }
    const active = shown.get('active')
    if (active === undefined) shown.set(query.get('status'), structuredClone(body))
    else told.body = structuredClone(active)
  }
  // Every list shows the active users, as it would without a status.
  for (let night = 0; night < 2; night++) {
    const { state, problems } = await sync(users, true)
    expect(state).toBe('incomplete')
    expect(problems.join()).toMatch(/users status=\w+: .* records that do not belong to this list/)
  }
  // Every list shows all users with their status, active or inactive; no user is pending.
  const all = shown.get('active')
  if (all === undefined) throw new Error('No list')
  all.users = all.users.map((user, at) => ({ ...user, status: at % 2 ? 'active' : 'inactive' }))
  expect(await sync(users, true)).toMatchObject({ state: 'complete', problems: [] })
})

/** Makes every list of users show the users of all lists so far, without a status. */
function ignoreFilter(): void {
  const rows = new Map<string, object>()
  world.ways.tell = ({ path }, { body }) => {
    if (!path.endsWith('/users')) return
    const page = body as { users: { email: string; status?: string }[]; total_records: number }
    for (const { status: _status, ...user } of page.users) rows.set(user.email, user)
    page.users = [...rows.values()] as typeof page.users
    page.total_records = rows.size
  }
}

type Shown = (typeof STREAMS)[number]

/** Makes each window show the record on those of the days within the requested range. */
function show({ path, id }: Shown, days: readonly string[], said: object = {}): void {
  world.ways.tell = (request, { body }) => {
    if (!request.path.endsWith(path) || request.query.has('trash')) return
    const [from = '', to = ''] = ['from', 'to'].map((name) => request.query.get(name)?.slice(0, 10))
    const page = body as { sessions: object[]; total_records?: number }
    const shown = days.filter((day) => day >= from && day <= to)
    page.sessions = [...page.sessions, ...shown.map((day) => ({ ...record(id, day), ...said }))]
    if (page.total_records !== undefined) page.total_records += shown.length
  }
}

const record = (id: string, day: string) => ({
  [id]: 'twin',
  start_time: `${day}T10:00:00Z`,
  end_time: `${day}T11:00:00Z`,
  expire_time: '2027-01-01T00:00:00Z',
  whiteboard_id: 'board',
  regulated_participants: [{ user_name: day, join_whiteboard_time: `${day}T10:00:00Z` }],
  recording_count: 1,
  recording_files: [{ id: `file of ${day}`, file_type: 'MP4', status: 'completed' }],
})

async function start({ job, id }: Shown): Promise<string | undefined> {
  const { rows } = await sql<{ day: string }>`select start_time::date::text as day
    from ${sql.id('svc', job.streams[0]!.name)} where ${sql.id(id)} = 'twin'
    and _deleted_at is null`.execute(world.warehouse.db)
  return rows[0]?.day
}

/** The number of the record's nested rows, or of its own if nothing is nested. */
async function parts({ job, id }: Shown): Promise<number> {
  const [own, cut] = job.streams
  const key = cut === undefined ? id : 'session_id'
  const { rows } = await sql<{ n: number }>`select count(*)::int as n
    from ${sql.id('svc', (cut ?? own)!.name)} where ${sql.id(key)} = 'twin'
    and _deleted_at is null`.execute(world.warehouse.db)
  return rows[0]?.n ?? 0
}

function only(job: Job, ...names: string[]): Job {
  return { ...job, streams: job.streams.filter(({ name }) => names.includes(name)) }
}

async function sync(job: Job, full: boolean): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full })
  if (result === undefined) throw new Error('No run')
  return result
}
