import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { publishReport } from '../../src/engine/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as fixture from './whiteboard-fixture.ts'
import { readWorkbook, secondsOf, type Workbook } from './workbook.ts'

let warehouse: Warehouse
let directory: string
let book: Workbook
const PERIOD = { from: '2026-10-01', to: '2026-10-31' }

useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-audit-'))
  await seed('acme')
  await fixture.insertFiles(warehouse, 'acme')
  await fixture.insertBoards(warehouse, 'acme')
  await sql`insert into callsheet.incidents (account, kind, subject, at, detail) values
    ('acme', 'expired_before_download', 's000100/a1', '2026-11-15T00:00:00Z', '=the archive expired'),
    ('acme', 'store_failed', 'store', '2026-10-10T00:00:00Z', 'the disk was full'),
    ('acme', 'store_failed', 'elsewhere', '2026-09-10T00:00:00Z', 'of another month'),
    ('rival', 'tampered', 's000100/a1', '2026-10-15T00:00:00Z', 'of another account')`.execute(
    warehouse.db,
  )
  book = await audit('acme')
})
afterAll(() => rm(directory, { recursive: true }))

async function seed(account: string, run: Partial<fixture.ArchiveToInsert> = {}): Promise<void> {
  await fixture.insertArchive(warehouse, { account, runId: 0 })
  const runId = await fixture.insertArchiveRun(warehouse, { account, ...run })
  for (const table of ['whiteboard_sessions', 'whiteboard_participants', 'whiteboard_activities'])
    await sql`update ${sql.id('svc', table)} set _run_id = ${runId} where account = ${account}`.execute(
      warehouse.db,
    )
}

function publish(account: string, params: object = {}, format: 'xlsx' | 'html' = 'xlsx') {
  return publishReport(
    { warehouse },
    {
      report: whiteboardAudit as never,
      account,
      params: { ...PERIOD, ...params },
      timeZone: 'UTC',
      directory,
      formats: [format],
    },
  )
}

async function audit(account: string, params: object = {}): Promise<Workbook> {
  const { files } = await publish(account, params)
  return readWorkbook(files[0]?.path ?? '')
}

async function counted(query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ n: number }>`select (${query})::int as n`.execute(warehouse.db)
  return rows[0]?.n ?? -1
}

const total = (records: readonly Record<string, unknown>[], column: string) =>
  records.reduce((sum, record) => sum + Number(record[column]), 0)

const OCTOBER = sql`create_time >= '2026-10-01Z' and create_time < '2026-11-01Z'`
const OPEN = sql`start_time < '2026-11-01Z' and end_time >= '2026-10-01Z'`

describe('the sums', () => {
  it('of activities are those of SQL, by type, board and person, and as a list', async () => {
    const activities = await counted(
      sql`select count(*) from svc.whiteboard_activities where account = 'acme' and ${OCTOBER}`,
    )
    expect(activities).toBeGreaterThan(400)
    for (const header of ['Type', 'Board', 'Person'])
      expect([header, total(book.records('Activities', header), 'Activities')]).toEqual([
        header,
        activities,
      ])
    const all = book.records('All activities', 'Time')
    expect(all).toHaveLength(activities)
    expect(new Set(all.map((row) => `${row['Session ID']}/${row['Activity ID']}`)).size).toBe(
      activities,
    )
    const people = total(book.records('Participants', 'Person'), 'Activities')
    expect(people + total(book.records('From outside', 'Name'), 'Activities')).toBe(activities)
    expect(book.rows('Summary', '').find(([label]) => label === 'Activities')?.[1]).toBe(activities)
  })

  it('of sessions are those of SQL, with the one that began before the period', async () => {
    const sessions = book.records('Sessions', 'Start')
    const open = await counted(
      sql`select count(*) from svc.whiteboard_sessions where account = 'acme' and ${OPEN}`,
    )
    const began = await counted(sql`select count(*) from svc.whiteboard_sessions
      where account = 'acme' and start_time >= '2026-10-01Z' and start_time < '2026-11-01Z'`)
    expect(open).toBeGreaterThan(began)
    expect(sessions).toHaveLength(open)
    const days = book.rows('Chart data', 'Category').map(([day]) => day)
    expect(days.slice(0, 31)).toEqual(Array.from({ length: 31 }, (_, at) => String(at + 1)))
    expect(sessions.every((row) => row['Activities read'] === 'complete')).toBe(true)
  })

  it('of files are those of SQL, and each hash stands beside its activity', async () => {
    const states = book.records('Files', 'State')
    const { rows } = await sql<{ state: string; n: number; bytes: number | null }>`
      select coalesce(f.state, 'pending') as state, count(*)::int as n, sum(f.size)::bigint as bytes
      from svc.whiteboard_activities a left join callsheet.files f on f.account = a.account
        and f.parent = a.session_id and f.item = a.id
      where a.account = 'acme' and ${OCTOBER} group by 1`.execute(warehouse.db)
    expect(rows).toHaveLength(5)
    for (const { state, n, bytes } of rows) {
      const row = states.find((one) => one.State === state)
      expect([state, row?.Files, row?.Bytes ?? null]).toEqual([state, n, bytes])
    }
    const stored = book.records('All activities', 'Time').filter((row) => row.File === 'stored')
    expect(stored.length).toBe(rows.find(({ state }) => state === 'stored')?.n)
    expect(stored.every((row) => /^[0-9a-f]{64}$/.test(String(row['SHA-256 of the file'])))).toBe(
      true,
    )
    expect(book.records('Files', 'Archive expires')).toHaveLength(
      rows.filter(({ state }) => state !== 'stored').reduce((sum, { n }) => sum + n, 0),
    )
  })
})

describe('people', () => {
  it('have the time of all their stays together, and stays without an end are said', async () => {
    const { rows } = await sql<{ seconds: number; stays: number; sessions: number }>`
      select sum(extract(epoch from leave_whiteboard_time - joined_at))::int as seconds,
        count(*)::int as stays, count(distinct session_id)::int as sessions
      from svc.whiteboard_participants p join svc.whiteboard_sessions s
        on s.account = p.account and s.id = p.session_id
      where p.account = 'acme' and user_id = 'u1' and ${OPEN}
        and joined_at < '2026-11-01Z' and leave_whiteboard_time >= '2026-10-01Z'`.execute(
      warehouse.db,
    )
    const person = book.records('Participants', 'Person').find((row) => row['User ID'] === 'u1')
    expect(secondsOf(person?.['Time present'])).toBe(rows[0]?.seconds)
    expect([person?.Stays, person?.Sessions]).toEqual([rows[0]?.stays, rows[0]?.sessions])
    const open = book.records('All stays', 'Joined').filter((row) => row.Left === null)
    expect(open.length).toBeGreaterThan(3)
    expect(open.every((row) => row.Remark === 'no end on record')).toBe(true)
    expect(total(book.records('Participants', 'Person'), 'Stays without an end')).toBe(open.length)
  })

  it('who are at a board twice at once are there once', async () => {
    await seed('twice')
    await sql`insert into svc.whiteboard_participants
      select account, session_id, user_id, user_name, join_whiteboard_time, 1, email, joined_at,
        leave_whiteboard_time, _raw, _bytes, _hash, _first_seen_at, _changed_at, _deleted_at, _run_id
      from svc.whiteboard_participants where account = 'twice' and user_id = 'u1'`.execute(
      warehouse.db,
    )
    const [once, twice] = [book, await audit('twice')].map((one) =>
      one.records('Participants', 'Person').find((row) => row['User ID'] === 'u1'),
    )
    expect(twice?.Stays).toBe(Number(once?.Stays) * 2)
    expect(secondsOf(twice?.['Time present'])).toBe(secondsOf(once?.['Time present']))
    expect(secondsOf(once?.['Time present'])).toBeGreaterThan(0)
  })

  it('from outside stand apart, and nowhere among the account’s', async () => {
    const outside = book.records('From outside', 'Name')
    const names = outside.map((row) => String(row.Name))
    expect(names.length).toBe(2)
    expect(names.every((name) => name.startsWith('Guest '))).toBe(true)
    const inside = book.records('Participants', 'Person')
    expect(inside.some((row) => String(row.Person).startsWith('Guest'))).toBe(false)
    const stays = await counted(sql`select count(*) from svc.whiteboard_participants p
      join svc.whiteboard_sessions s on s.account = p.account and s.id = p.session_id
      where p.account = 'acme' and p.email = '' and ${OPEN} and joined_at < '2026-11-01Z'
        and leave_whiteboard_time >= '2026-10-01Z'`)
    expect(book.rows('From outside', 'Joined')).toHaveLength(stays)
    expect(total(outside, 'Stays')).toBe(stays)
  })
})

describe('boards', () => {
  it('are counted by how far they are open, all and those in use', () => {
    const scopes = book.records('Boards', 'Open by link to')
    expect(scopes.map((row) => [row['Open by link to'], row.Boards])).toEqual([
      ['anyone', 3],
      ['the account and guests who sign in', 3],
      ['the account', 3],
      ['restricted', 3],
    ])
    expect(total(scopes, 'in use in the period')).toBe(7)
    expect([total(scopes, 'Trashed'), total(scopes, 'Locked')]).toEqual([1, 1])
    expect(book.notes('Boards').join()).toContain('does not tell which classification label')
    expect(
      book.records('Boards', 'Label that we applied').map((row) => Object.values(row).slice(0, 3)),
    ).toEqual([
      ['Level 3', 3, 2],
      ['(taken away again)', null, 1],
    ])
  })

  it('have their collaborators by role and from outside, and lists that may be cut are named', () => {
    const roles = book.records('Collaborators', 'Role')
    expect(total(roles, 'Collaborators')).toBe(11 * 10 + 1_000)
    expect(total(roles, 'from outside')).toBe(11 * 2 + 200)
    expect(roles[0]).toMatchObject({ Role: 'owner', Collaborators: 12, 'from outside': 0 })
    expect(book.notes('Collaborators').join()).toContain(
      'at most 1000 collaborators of a board: 1 list is',
    )
    const inUse = book.records('Boards', 'Board')
    expect(inUse.filter((row) => row.Remark !== null).map((row) => row['Board ID'])).toEqual([
      'wb-2',
    ])
  })

  it('that were never read are said to be so', async () => {
    const bare = await audit('twice')
    expect(bare.notes('Boards')[0]).toContain('never read')
    expect(bare.notes('Cover').join()).toContain('whiteboards, whiteboard_collaborators')
    expect(bare.sheets).not.toContain('All collaborators')
  })
})

it('says what was lost at the top, and lists the incidents of its own account', () => {
  const lost = book.records('Files', 'State').find((row) => row.State === 'expired')?.Files
  for (const sheet of ['Cover', 'Summary'])
    expect(book.notes(sheet).join()).toContain(
      `Lost archives: ${String(lost)} archives expired before`,
    )
  expect(book.records('Incidents', 'At').map((row) => row['What happened'])).toEqual([
    'the disk was full',
    '=the archive expired',
  ])
})

it('keeps texts that look like formulas as they are', () => {
  const boards = new Set(book.records('Sessions', 'Start').map((row) => row.Board))
  expect(boards).toEqual(
    new Set(['=1+1', '+Retro', '@SUM(A1)', '-minus', 'Plan', '=HYPERLINK("x")', 'Sketch']),
  )
  const content = new Set(book.records('All activities', 'Time').map((row) => row.Content))
  expect(content).toEqual(new Set([null, '=SUM(1;2)', '+49 30 1']))
})

it('shows nothing of an account that shares its IDs, and none of it moves a byte', async () => {
  const before = await publish('acme')
  await seed('rival')
  await fixture.insertFiles(warehouse, 'rival')
  await fixture.insertBoards(warehouse, 'rival')
  await sql`update svc.whiteboard_activities set content = 'SECRET' where account = 'rival'`.execute(
    warehouse.db,
  )
  await sql`insert into callsheet.heads select 'rival', 1, 1, 9, '{}', sha256('x'), decode(repeat('00', 64),
    'hex'), 'key', '2026-11-19T00:00:00Z'`.execute(warehouse.db)
  const after = await publish('acme')
  expect(after.files).toEqual(before.files)
  const rival = await audit('rival')
  expect(rival.records('All activities', 'Time')[0]?.Content).toBe('SECRET')
})

it.each([
  ['UTC', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'],
  ['America/New_York', '2026-10-01T04:00:00Z', '2026-11-01T04:00:00Z'],
  ['Asia/Tokyo', '2026-09-30T15:00:00Z', '2026-10-31T15:00:00Z'],
  ['Pacific/Chatham', '2026-09-30T10:15:00Z', '2026-10-31T10:15:00Z'],
])('counts the days of %s', async (timezone, from, to) => {
  const zoned = await audit('acme', { timezone })
  const within = sql`from svc.whiteboard_activities where account = 'acme' and create_time >= ${from}
    and create_time < ${to}`
  const all = zoned.records('All activities', 'Time')
  expect(all).toHaveLength(await counted(sql`select count(*) ${within}`))
  const { rows } = await sql<{ day: string; n: number }>`
    select (create_time at time zone ${timezone})::date::text as day, count(*)::int as n ${within}
    group by 1 order by 1`.execute(warehouse.db)
  const days = Map.groupBy(all, (row) => (row.Time as Date).toISOString().slice(0, 10))
  expect([...days].map(([day, list]) => ({ day, n: list.length }))).toEqual(rows)
  const chart = zoned.rows('Chart data', 'Category')
  expect(chart.map((row) => Number(row[1]) + Number(row[2]))).toEqual(
    Array.from({ length: 31 }, (_, at) => {
      const day = `2026-10-${String(at + 1).padStart(2, '0')}`
      return rows.find((row) => row.day === day)?.n ?? 0
    }),
  )
})

it('is sensible for days on which nothing happened', async () => {
  const { files, covered } = await publish('acme', { from: '2026-11-13', to: '2026-11-13' })
  const empty = await readWorkbook(files[0]?.path ?? '')
  expect(covered).toBe(true)
  expect(empty.notes('Summary')).toEqual(['There is no archived session in 2026-11-13.'])
  expect(empty.rows('Summary', '').find(([label]) => label === 'Sessions')?.[1]).toBe(0)
  expect(empty.notes('All activities')).toEqual([])
})

it('of one board or one person shows that alone, in a file of its own', async () => {
  const board = await audit('acme', { whiteboard: 'wb-3' })
  const ids = new Set(board.records('All activities', 'Time').map((row) => row['Board ID']))
  expect(ids).toEqual(new Set(['wb-3']))
  const made = await publish('acme', { user: 'P1@example.com' })
  expect(made.files[0]?.path).toMatch(/acme-whiteboard-audit-2026-10-of-[0-9a-f]{8}\.xlsx$/)
  const person = await readWorkbook(made.files[0]?.path ?? '')
  const all = person.records('All activities', 'Time')
  expect(all).toHaveLength(
    await counted(sql`select count(*) from svc.whiteboard_activities
      where account = 'acme' and user_id = 'u1' and ${OCTOBER}`),
  )
  expect(person.notes('Cover').join()).toContain('Only the user Person 1')
})

it('refuses days in the wrong order, half a range and a day that there is not', async () => {
  for (const params of [
    { from: '2026-10-02', to: '2026-10-01' },
    { from: '2026-10-01', to: undefined },
    { from: '2026-02-30', to: '2026-03-01' },
    { from: '2020-01-01', to: '2026-03-01' },
  ])
    await expect(publish('acme', params)).rejects.toMatchObject({ exitCode: 2 })
})
