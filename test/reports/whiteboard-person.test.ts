import { sql } from 'kysely'
import { expect, it } from 'vitest'
import whiteboardPerson from '../../reports/whiteboard-person.ts'
import { type AuditWorld, OCTOBER, OPEN, total, useAuditWorld } from './audit-world.ts'
import * as fixture from './whiteboard-fixture.ts'
import { readWorkbook, secondsOf, type Workbook } from './workbook.ts'

let world: AuditWorld
let page: Workbook

useAuditWorld(whiteboardPerson, async (opened) => {
  world = opened
  await world.seed('acme')
  await fixture.insertFiles(world.warehouse, 'acme')
  await fixture.insertBoards(world.warehouse, 'acme')
  page = await world.audit('acme', { user: 'u1' })
})

const OWN = sql`account = 'acme' and user_id = 'u1'`

it('lists every session of the person with the time present, and nobody else’s', async () => {
  const { rows } = await sql<{ sessions: number; seconds: number }>`
    select count(distinct session_id)::int as sessions,
      sum(extract(epoch from leave_whiteboard_time - joined_at))::int as seconds
    from svc.whiteboard_participants p join svc.whiteboard_sessions s using (account)
    where s.id = p.session_id and ${OWN} and ${OPEN} and joined_at < '2026-11-01Z'
      and leave_whiteboard_time >= '2026-10-01Z'`.execute(world.warehouse.db)
  const sessions = page.records('Sessions', 'Session began')
  expect(sessions).toHaveLength(rows[0]?.sessions ?? -1)
  const seconds = sessions.reduce((sum, row) => sum + secondsOf(row['Time present']), 0)
  expect(seconds).toBe(rows[0]?.seconds)
  expect(new Set(page.records('All stays', 'Joined').map((row) => row['User ID']))).toEqual(
    new Set(['u1']),
  )
})

it('counts what the person did, with its files', async () => {
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

it('lists the boards that are shared with the person, in use or not', async () => {
  const shared = page.records('Boards shared with them', 'Collaborator')
  expect(shared).toHaveLength(12)
  expect(shared.filter((row) => row['in use in the period'] === 'no').length).toBeGreaterThan(4)
  expect(new Set(shared.map((row) => row.Role))).toEqual(new Set(['editor']))
})

it('finds the person by address too, whatever its case, in a file of the address’s own', async () => {
  const made = await world.publish('acme', { user: 'P1@EXAMPLE.com' })
  expect(made.files[0]?.path).toMatch(/acme-whiteboard-person-2026-10-of-[0-9a-f]{8}\.xlsx$/)
  const byAddress = await readWorkbook(made.files[0]?.path ?? '')
  for (const [sheet, header] of [
    ['Sessions', 'Session began'],
    ['All activities', 'Time'],
    ['Boards shared with them', 'Collaborator'],
  ] as const)
    expect(byAddress.rows(sheet, header)).toEqual(page.rows(sheet, header))
  expect(byAddress.notes('Summary')[0]).toMatch(
    /^Person 1 was in \d+ sessions? on \d+ boards? in 2026-10/,
  )
})

it('says that there is no trace of somebody unknown, and wants to know of whom', async () => {
  const nobody = await world.audit('acme', { user: 'nobody@example.com' })
  expect(nobody.notes('Summary')[0]).toContain('has no trace of nobody@example.com')
  expect(nobody.notes('All activities')).toEqual([])
  await expect(world.publish('acme')).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('whose report it is'),
  })
})
