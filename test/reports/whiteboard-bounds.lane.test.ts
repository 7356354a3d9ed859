import { sql } from 'kysely'
import { expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { type AuditWorld, OCTOBER, useAuditWorld } from './audit-world.ts'
import * as fixture from './whiteboard-fixture.ts'
import { readWorkbook, secondsOf } from './workbook.ts'

let world: AuditWorld

useAuditWorld(whiteboardAudit, async (opened) => {
  world = opened
  await world.seed('acme')
})

it('the audit shows no data of another account with the same IDs', async () => {
  const before = await world.publish('acme')
  await world.seed('rival')
  await fixture.insertFiles(world.warehouse, 'rival')
  await fixture.insertBoards(world.warehouse, 'rival')
  await sql`update svc.whiteboard_activities set content = 'SECRET' where account = 'rival'`.execute(
    world.warehouse.db,
  )
  await sql`insert into callsheet.checkpoints
    select 'rival', 'callsheet/rival', 9, 'x', 'key', '2026-11-19T00:00:00Z'`.execute(
    world.warehouse.db,
  )
  const after = await world.publish('acme')
  expect(after.files).toEqual(before.files)
  const rival = await world.audit('rival')
  expect(rival.records('All activities', 'Time')[0]?.Content).toBe('SECRET')
})

it.each([
  ['UTC', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'],
  ['America/New_York', '2026-10-01T04:00:00Z', '2026-11-01T04:00:00Z'],
  ['Asia/Tokyo', '2026-09-30T15:00:00Z', '2026-10-31T15:00:00Z'],
  ['Pacific/Chatham', '2026-09-30T10:15:00Z', '2026-10-31T10:15:00Z'],
])('the audit counts the days of %s', async (timezone, from, to) => {
  const zoned = await world.audit('acme', { timezone })
  const within = sql`from svc.whiteboard_activities where account = 'acme' and create_time >= ${from}
    and create_time < ${to}`
  const all = zoned.records('All activities', 'Time')
  expect(all).toHaveLength(await world.counted(sql`select count(*) ${within}`))
  const { rows } = await sql<{ day: string; n: number }>`
    select (create_time at time zone ${timezone})::date::text as day, count(*)::int as n ${within}
    group by 1 order by 1`.execute(world.warehouse.db)
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

it('the audit splits the time of a stay at the end of a month', async () => {
  await world.seed('over')
  await sql`update svc.whiteboard_sessions set start_time = '2026-10-31T22:00Z',
      end_time = '2026-11-01T04:00Z' where account = 'over' and id = 's000100'`.execute(
    world.warehouse.db,
  )
  await sql`update svc.whiteboard_participants set user_id = 'late', user_name = 'Late',
      joined_at = '2026-10-31T22:00Z', leave_whiteboard_time = '2026-11-01T03:00Z'
    where account = 'over' and session_id = 's000100' and user_id = 'u0'`.execute(
    world.warehouse.db,
  )
  const hours = []
  for (const params of [{}, { from: '2026-11-01', to: '2026-11-10' }, { to: '2026-11-10' }]) {
    const book = await world.audit('over', params)
    const people = [
      ...book.records('Participants', 'Person'),
      ...book.records('From outside', 'Name'),
    ]
    const times = people.map((row) => [row['User ID'], secondsOf(row['Time present'])] as const)
    const whole = book.figure('Summary', 'Time present (h:mm:ss)')
    expect(secondsOf(whole)).toBe(times.reduce((sum, [, seconds]) => sum + seconds, 0))
    hours.push(times.find(([id]) => id === 'late')?.[1])
  }
  expect(hours).toEqual([2 * 3_600, 3 * 3_600, 5 * 3_600])
})

it('the audit states that a day without sessions has none', async () => {
  const { files, covered } = await world.publish('acme', { from: '2026-11-13', to: '2026-11-13' })
  const empty = await readWorkbook(files[0]?.path ?? '')
  expect(covered).toBe(true)
  expect(empty.notes('Summary')).toEqual(['There are no archived sessions in 2026-11-13.'])
  expect(empty.rows('Summary', '').find(([label]) => label === 'Sessions')?.[1]).toBe(0)
  expect(empty.notes('All activities')).toEqual([])
})

it('the audit of one board or person contains only its or their data, in a separate file', async () => {
  const board = await world.audit('acme', { whiteboard: 'wb-3' })
  const ids = new Set(board.records('All activities', 'Time').map((row) => row['Board ID']))
  expect(ids).toEqual(new Set(['wb-3']))
  const made = await world.publish('acme', { user: 'P1@example.com' })
  expect(made.files[0]?.path).toMatch(/acme-whiteboard-audit-2026-10-of-[0-9a-f]{8}\.xlsx$/)
  const person = await readWorkbook(made.files[0]?.path ?? '')
  const all = person.records('All activities', 'Time')
  expect(all).toHaveLength(
    await world.counted(sql`select count(*) from svc.whiteboard_activities
      where account = 'acme' and user_id = 'u1' and ${OCTOBER}`),
  )
  expect(person.notes('Provenance').join()).toContain('Only the user Person 1')
  expect(person.figure('Provenance', 'User')).toBe('P1@example.com')
})

it('the audit refuses a reversed, incomplete, invalid or too long range of days', async () => {
  for (const params of [
    { from: '2026-10-02', to: '2026-10-01' },
    { from: '2026-10-01', to: undefined },
    { from: '2026-02-30', to: '2026-03-01' },
    { from: '2020-01-01', to: '2026-03-01' },
  ])
    await expect(world.publish('acme', params)).rejects.toMatchObject({ exitCode: 2 })
})
