import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { type AuditWorld, total, useAuditWorld } from './audit-world.ts'
import type { Workbook } from './workbook.ts'

let world: AuditWorld

useAuditWorld(whiteboardAudit, (opened) => {
  world = opened
})

/** Adds an activity of a person from outside to s000100, a session of October 4 on wb-2 without outsiders. */
async function act(account: string, who: string): Promise<void> {
  await sql`insert into svc.whiteboard_activities (account, session_id, id, type, create_time, user_id,
      collaborator_name, email, object_ids, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select account, session_id, 'x1', type, create_time, '', ${who}, '', object_ids, _raw,
      sha256('x1'), _first_seen_at, _changed_at, _run_id
    from svc.whiteboard_activities
    where account = ${account} and session_id = 's000100' and id = 'a0'`.execute(world.warehouse.db)
}

describe('people with activities but without a stay', () => {
  let alone: Workbook
  let book: Workbook
  const figure = (label: string) => book.figure('Summary', label) ?? null

  beforeAll(async () => {
    await world.seed('acme')
    for (const table of ['whiteboard_participants', 'whiteboard_activities'])
      await sql`delete from ${sql.id('svc', table)} where account = 'acme' and email = ''`.execute(
        world.warehouse.db,
      )
    alone = await world.audit('acme')
    await act('acme', 'Stranger')
    book = await world.audit('acme')
  })

  it('count as participants in the note, the figures and the sheets', () => {
    expect(alone.notes('Summary').join()).toContain('Nobody from outside the account took part.')
    expect(book.notes('Summary').join()).toContain(
      '1 person from outside the account took part, in 1 of ',
    )
    const outside = book.records('From outside', 'Name')
    expect(outside.map((row) => [row.Name, row.Sessions, row.Boards, row.Activities])).toEqual([
      ['Stranger', 1, 1, 1],
    ])
    expect(figure('People from outside')).toBe(outside.length)
    expect(figure('People')).toBe(book.rows('Participants', 'Person').length + outside.length)
    expect(figure('Activities from outside')).toBe(1)
    for (const chart of ['Activities by day', 'Participants by day']) {
      const days = book.chart(chart).filter(([, , fromOutside]) => fromOutside !== 0)
      expect([chart, days]).toEqual([chart, [['4', expect.any(Number), 1]]])
    }
  })

  it('count in their session and on its board', () => {
    const own = (sheet: string, header: string) =>
      book
        .records(sheet, header)
        .filter((row) => Number(row['From outside']) > 0)
        .map((row) => [row['Session ID'] ?? null, row['Board ID'], row.People, row['From outside']])
    expect(own('Sessions', 'Start')).toEqual([['s000100', 'wb-2', 3, 1]])
    expect(own('Boards', 'Board').map(([, board, , outside]) => [board, outside])).toEqual([
      ['wb-2', 1],
    ])
  })

  it('have the sessions and boards of both their stays and their activities', async () => {
    await world.seed('both')
    const guest = (of: Workbook) =>
      of.records('From outside', 'Name').find((row) => row.Name === 'Guest 0')
    const before = guest(await world.audit('both'))
    await act('both', 'Guest 0')
    const after = guest(await world.audit('both'))
    expect(before?.Sessions).toBeGreaterThan(5)
    expect([after?.Sessions, after?.Stays]).toEqual([Number(before?.Sessions) + 1, before?.Stays])
    expect(total([after ?? {}], 'Activities')).toBe(Number(before?.Activities) + 1)
    expect(after?.['Time present']).toEqual(before?.['Time present'])
  })
})
