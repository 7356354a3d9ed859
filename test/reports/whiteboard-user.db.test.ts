import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { type AuditWorld, OCTOBER, OPEN, total, useAuditWorld } from './audit-world.ts'
import * as fixture from './whiteboard-fixture.ts'
import { readWorkbook, secondsOf, type Workbook } from './workbook.ts'

let world: AuditWorld
let page: Workbook

useAuditWorld(whiteboardAudit, async (opened) => {
  world = opened
  await world.seed('acme')
  await fixture.insertFiles(world.warehouse, 'acme')
  await fixture.insertBoards(world.warehouse, 'acme')
  page = await world.audit('acme', { user: 'u1' })
})

const OWN = sql`account = 'acme' and user_id = 'u1'`

it('the audit of a user lists the user’s sessions and stays, and no others', async () => {
  const { rows } = await sql<{ sessions: number; seconds: number }>`
    select count(distinct session_id)::int as sessions,
      sum(extract(epoch from leave_whiteboard_time - joined_at))::int as seconds
    from svc.whiteboard_participants p join svc.whiteboard_sessions s using (account)
    where s.id = p.session_id and ${OWN} and ${OPEN} and joined_at < '2026-11-01Z'
      and leave_whiteboard_time >= '2026-10-01Z'`.execute(world.warehouse.db)
  expect(page.records('Sessions', 'Start')).toHaveLength(rows[0]?.sessions ?? -1)
  const stays = page.records('All stays', 'Joined')
  const seconds = stays.reduce((sum, row) => sum + secondsOf(row['Time present']), 0)
  expect(seconds).toBe(rows[0]?.seconds)
  expect(new Set(stays.map((row) => row['User ID']))).toEqual(new Set(['u1']))
})

it('the audit of a user counts the user’s activities and their files', async () => {
  const done = await world.counted(
    sql`select count(*) from svc.whiteboard_activities where ${OWN} and ${OCTOBER}`,
  )
  expect(done).toBeGreaterThan(20)
  for (const header of ['Type', 'Board'])
    expect(total(page.records('Activities', header), 'Activities')).toBe(done)
  const all = page.records('All activities', 'Time')
  expect(all).toHaveLength(done)
  expect(new Set(all.map((row) => row['User ID']))).toEqual(new Set(['u1']))
  expect(total(page.records('Files', 'State'), 'Files')).toBe(done)
})

it('the audit of a user lists the boards that are shared with the user, used or not', async () => {
  const shared = page.records('All collaborators', 'Collaborator')
  expect(shared).toHaveLength(12)
  expect(shared.filter((row) => row['Used in the period'] === 'no').length).toBeGreaterThan(4)
  expect(new Set(shared.map((row) => row.Role))).toEqual(new Set(['editor']))
})

it('the audit finds the user by email address in any letter case', async () => {
  const made = await world.publish('acme', { user: 'P1@EXAMPLE.com' })
  expect(made.files[0]?.path).toMatch(/acme-whiteboard-audit-2026-10-of-[0-9a-f]{8}\.xlsx$/)
  const byAddress = await readWorkbook(made.files[0]?.path ?? '')
  for (const [sheet, header] of [
    ['Sessions', 'Start'],
    ['All activities', 'Time'],
    ['All collaborators', 'Collaborator'],
  ] as const)
    expect(byAddress.rows(sheet, header)).toEqual(page.rows(sheet, header))
})

describe('the audit of a user on a single day', () => {
  const day = (date: string) => world.audit('stays', { user: 'u1', from: date, to: date })
  /** Inserts a session on wb-1 with stays of u1, who leaves at `left`, and u6, who stays until its end. */
  const insert = async (id: string, [from, to]: [string, string], left: string) => {
    const meta = sql`'{}', sha256(${id}), '2026-11-19T00:00:00Z', '2026-11-19T00:00:00Z', 0`
    await sql`insert into svc.whiteboard_sessions (account, id, start_time, end_time, expire_time,
        whiteboard_id, whiteboard_name, _raw, _hash, _first_seen_at, _changed_at, _run_id)
      values ('stays', ${id}, ${from}, ${to}, '2026-12-20Z', 'wb-1', 'Plan', ${meta})`.execute(
      world.warehouse.db,
    )
    await sql`insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
        join_whiteboard_time, ordinal, email, joined_at, leave_whiteboard_time, _raw, _hash,
        _first_seen_at, _changed_at, _run_id)
      select 'stays', ${id}, who, 'Person ' || who, ${from}, 0, who || '@example.com',
        ${from}::timestamptz, until::timestamptz, ${meta}
      from (values ('u1', ${left}), ('u6', ${to})) p(who, until)`.execute(world.warehouse.db)
  }

  beforeAll(async () => {
    await insert('late', ['2026-10-12T22:00:00Z', '2026-10-13T00:30:00Z'], '2026-10-12T23:00:00Z')
    await insert('long', ['2026-10-19T12:00:00Z', '2026-10-24T12:00:00Z'], '2026-10-24T12:00:00Z')
    await fixture.insertArchiveRun(world.warehouse, { account: 'stays' })
  })

  it('has no session that the person left earlier, even if others stayed', async () => {
    const after = await day('2026-10-13')
    expect(after.notes('Summary')).toEqual([
      expect.stringMatching(
        /^Only the user Person u1: there are no archived sessions in 2026-10-13/,
      ),
    ])
    expect(after.rows('Sessions', 'Start')).toEqual([['There are no sessions.']])
    const before = await day('2026-10-12')
    expect(before.records('Sessions', 'Start')).toHaveLength(1)
    const other = await world.audit('stays', { user: 'u6', from: '2026-10-13', to: '2026-10-13' })
    const [stay] = other.records('All stays', 'Joined')
    expect(secondsOf(stay?.['Time present'])).toBe(30 * 60)
  })

  it('counts only that day’s hours of a stay of five days', async () => {
    const hours: unknown[] = []
    for (const date of ['2026-10-19', '2026-10-20', '2026-10-24']) {
      const book = await day(date)
      for (const { 'Time present': present, Remark: remark } of book.records('All stays', 'Joined'))
        hours.push([secondsOf(present) / 3_600, remark])
    }
    const remark = 'cut to the period'
    expect(hours).toEqual([12, 24, 12].map((one) => [one, remark]))
    const after = await day('2026-10-25')
    expect(after.rows('All stays', 'Joined')).toEqual([['There are no stays.']])
  })
})
