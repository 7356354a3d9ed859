import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { type AuditWorld, OCTOBER, OPEN, total, useAuditWorld } from './audit-world.ts'
import * as fixture from './whiteboard-fixture.ts'
import { secondsOf, type Workbook } from './workbook.ts'

let world: AuditWorld
let book: Workbook

useAuditWorld(whiteboardAudit, async (opened) => {
  world = opened
  await world.seed('acme')
  await fixture.insertFiles(world.warehouse, 'acme')
  await sql`insert into callsheet.incidents (account, kind, subject, at, detail) values
    ('acme', 'expired_before_download', 'activity:s000100:a1', '2026-11-15T00:00:00Z', '=the file expired'),
    ('acme', 'missing', 'store', '2026-10-10T00:00:00Z', 'the disk was full'),
    ('acme', 'missing', 'elsewhere', '2026-09-10T00:00:00Z', 'of another month'),
    ('rival', 'missing', 'activity:s000100:a1', '2026-10-15T00:00:00Z', 'of another account')`.execute(
    world.warehouse.db,
  )
  book = await world.audit('acme')
})

describe('the sums of the audit', () => {
  it('of activities equal those of SQL, by type, board and person, and as a list', async () => {
    const activities = await world.counted(
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
    expect(
      new Set(all.map((row) => `${String(row['Session ID'])}/${String(row['Activity ID'])}`)).size,
    ).toBe(activities)
    const people = total(book.records('Participants', 'Person'), 'Activities')
    expect(people + total(book.records('From outside', 'Name'), 'Activities')).toBe(activities)
    expect(book.figure('Summary', 'Activities')).toBe(activities)
  })

  it('of sessions equal those of SQL, including the session that began before the period', async () => {
    const sessions = book.records('Sessions', 'Start')
    const open = await world.counted(
      sql`select count(*) from svc.whiteboard_sessions where account = 'acme' and ${OPEN}`,
    )
    const began = await world.counted(sql`select count(*) from svc.whiteboard_sessions
      where account = 'acme' and start_time >= '2026-10-01Z' and start_time < '2026-11-01Z'`)
    expect(open).toBeGreaterThan(began)
    expect(sessions).toHaveLength(open)
    const days = book.rows('Chart data', 'Category').map(([day]) => day)
    expect(days.slice(0, 31)).toEqual(Array.from({ length: 31 }, (_, at) => String(at + 1)))
    expect(sessions.every((row) => row['Activities read'] === 'complete')).toBe(true)
  })

  it('of files equal those of SQL, and each activity shows the hash of its file', async () => {
    const states = book.records('Files', 'State')
    const { rows } = await sql<{ state: string; n: number; bytes: number | null }>`
      select case when f.state = 'missing' then 'no file' else coalesce(f.state, 'pending') end as state,
        count(*)::int as n, sum(f.size)::bigint as bytes
      from svc.whiteboard_activities a left join callsheet.files f on f.account = a.account
        and f.parent = a.session_id and f.item = a.id
      where a.account = 'acme' and ${OCTOBER} group by 1`.execute(world.warehouse.db)
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

describe('the people of the audit', () => {
  it('have the total time of their stays; stays without an end are marked', async () => {
    const { rows } = await sql<{ seconds: number; stays: number; sessions: number }>`
      select sum(extract(epoch from leave_whiteboard_time - joined_at))::int as seconds,
        count(*)::int as stays, count(distinct session_id)::int as sessions
      from svc.whiteboard_participants p join svc.whiteboard_sessions s
        on s.account = p.account and s.id = p.session_id
      where p.account = 'acme' and user_id = 'u1' and ${OPEN}
        and joined_at < '2026-11-01Z' and leave_whiteboard_time >= '2026-10-01Z'`.execute(
      world.warehouse.db,
    )
    const person = book.records('Participants', 'Person').find((row) => row['User ID'] === 'u1')
    expect(secondsOf(person?.['Time present'])).toBe(rows[0]?.seconds)
    expect([person?.Stays, person?.Sessions]).toEqual([rows[0]?.stays, rows[0]?.sessions])
    const open = book.records('All stays', 'Joined').filter((row) => row.Left === null)
    expect(open.length).toBeGreaterThan(3)
    expect(open.every((row) => row.Remark === 'no end on record')).toBe(true)
    expect(total(book.records('Participants', 'Person'), 'Stays without an end')).toBe(open.length)
  })

  it('who join a board twice at the same time have the time of one stay', async () => {
    await world.seed('twice')
    await sql`insert into svc.whiteboard_participants
      select account, session_id, user_id, user_name, join_whiteboard_time, 1, email, joined_at,
        leave_whiteboard_time, _raw, _bytes, _hash, _first_seen_at, _changed_at, _deleted_at, _run_id
      from svc.whiteboard_participants where account = 'twice' and user_id = 'u1'`.execute(
      world.warehouse.db,
    )
    const [once, twice] = [book, await world.audit('twice')].map((one) =>
      one.records('Participants', 'Person').find((row) => row['User ID'] === 'u1'),
    )
    expect(twice?.Stays).toBe(Number(once?.Stays) * 2)
    expect(secondsOf(twice?.['Time present'])).toBe(secondsOf(once?.['Time present']))
    expect(secondsOf(once?.['Time present'])).toBeGreaterThan(0)
  })

  it('who are at two boards at the same time have the time of one stay', async () => {
    await world.seed('both')
    await sql`insert into svc.whiteboard_participants
      select account, 's000100', user_id, user_name, join_whiteboard_time, 7, email, joined_at,
        leave_whiteboard_time, _raw, _bytes, _hash, _first_seen_at, _changed_at, _deleted_at, _run_id
      from svc.whiteboard_participants where account = 'both' and user_id = 'u1'`.execute(
      world.warehouse.db,
    )
    const both = await world.audit('both')
    const [once, twice] = [book, both].map((one) =>
      one.records('Participants', 'Person').find((row) => row['User ID'] === 'u1'),
    )
    expect(twice?.Stays).toBe(Number(once?.Stays) * 2)
    expect(secondsOf(once?.['Time present'])).toBeGreaterThan(0)
    const [all, also] = [book, both].map((one) => one.figure('Summary', 'Time present (h:mm:ss)'))
    expect(secondsOf(all)).toBeGreaterThan(0)
    expect([twice?.['Time present'], also]).toEqual([once?.['Time present'], all])
  })

  it('from outside are listed separately, and not among the account’s', async () => {
    const outside = book.records('From outside', 'Name')
    const names = outside.map((row) => String(row.Name))
    expect(names.length).toBe(2)
    expect(names.every((name) => name.startsWith('Guest '))).toBe(true)
    const inside = book.records('Participants', 'Person')
    expect(inside.some((row) => String(row.Person).startsWith('Guest'))).toBe(false)
    const stays = await world.counted(sql`select count(*) from svc.whiteboard_participants p
      join svc.whiteboard_sessions s on s.account = p.account and s.id = p.session_id
      where p.account = 'acme' and p.email = '' and ${OPEN} and joined_at < '2026-11-01Z'
        and leave_whiteboard_time >= '2026-10-01Z'`)
    expect(book.rows('From outside', 'Joined')).toHaveLength(stays)
    expect(total(outside, 'Stays')).toBe(stays)
  })
})

it('the audit reports losses at the top, and lists only the incidents of its account', () => {
  const lost = book.records('Files', 'State').find((row) => row.State === 'expired')?.Files
  for (const sheet of ['Provenance', 'Summary'])
    expect(book.notes(sheet).join()).toContain(`Lost files: ${String(lost)} files expired before`)
  expect(book.records('Incidents', 'At').map((row) => row['What happened'])).toEqual([
    'the disk was full',
    '=the file expired',
  ])
})

it('sessions that expired before they were listed count as lost in the audit', async () => {
  const unread = ['s000100', 's000101']
  await world.seed('lapsed', { unread })
  const { db } = world.warehouse
  await sql`update svc.whiteboard_sessions set expire_time = '2026-11-15Z'
    where account = 'lapsed' and id = 's000100'`.execute(db)
  await sql`delete from svc.whiteboard_activities
    where account = 'lapsed' and session_id = any(${unread}::text[])`.execute(db)
  await sql`insert into callsheet.incidents (account, kind, subject, at, detail) values
    ('lapsed', 'expired_before_download', 'session:s000100', '2026-11-15Z', 'never listed'),
    ('lapsed', 'expired_before_download', 'session:s000001', '2026-11-15Z', 'of September')`.execute(
    db,
  )
  const told = await world.audit('lapsed')
  for (const sheet of ['Provenance', 'Summary'])
    expect(told.notes(sheet)).toContain(
      'Lost files: all files of 1 session that expired before its activities were read. See the sheet Files.',
    )
  expect(told.records('Incidents', 'At').map(({ Subject }) => Subject)).toEqual(['session:s000100'])
})

it('the audit reports a missing file as lost only if the service had offered it', async () => {
  await world.seed('offered')
  await sql`insert into callsheet.files (account, kind, parent, item, state, reason, state_at)
    select account, 'activity', session_id, id, 'missing', 'none', '2026-11-19T12:00:00Z'
    from svc.whiteboard_activities where account = 'offered' and ${OCTOBER}`.execute(
    world.warehouse.db,
  )
  const before = await world.audit('offered')
  expect(before.notes('Provenance').join()).not.toContain('Lost files')
  await sql`insert into callsheet.incidents (account, kind, subject, at, detail)
    select account, 'missing', 'activity:' || parent || ':' || item, '2026-11-19T12:00:00Z', 'deleted'
    from callsheet.files where account = 'offered' and item = 'a1' and parent = 's000100'`.execute(
    world.warehouse.db,
  )
  const after = await world.audit('offered')
  expect(after.notes('Provenance').join()).toContain(
    'Lost files: 1 file that the service no longer had.',
  )
  const lost = after.records('Sessions', 'Start').filter((row) => row['Files lost'] === 1)
  expect(lost.map((row) => row['Session ID'])).toEqual(['s000100'])
})

it('the audit keeps text that looks like a formula unchanged', () => {
  const boards = new Set(book.records('Sessions', 'Start').map((row) => row.Board))
  expect(boards).toEqual(
    new Set(['=1+1', '+Retro', '@SUM(A1)', '-minus', 'Plan', '=HYPERLINK("x")', 'Sketch']),
  )
  const content = new Set(book.records('All activities', 'Time').map((row) => row.Content))
  expect(content).toEqual(new Set([null, '=SUM(1;2)', '+49 30 1']))
})
