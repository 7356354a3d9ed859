import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { appliedLabel } from '../helpers/applied-label.ts'
import { type AuditWorld, total, useAuditWorld } from './audit-world.ts'
import * as fixture from './whiteboard-fixture.ts'
import type { Workbook } from './workbook.ts'

let world: AuditWorld
let book: Workbook

useAuditWorld(whiteboardAudit, async (opened) => {
  world = opened
  await world.seed('acme')
  await world.seed('bare')
  await fixture.insertBoards(world.warehouse, 'acme')
  book = await world.audit('acme')
})

describe('boards', () => {
  it('are counted by link sharing: all boards, and those in use', () => {
    const scopes = book.records('Boards', 'Open by link to')
    expect(scopes.map((row) => [row['Open by link to'], row.Boards])).toEqual([
      ['anyone', 3],
      ['the account and guests who sign in', 3],
      ['the account', 3],
      ['restricted', 3],
    ])
    expect(total(scopes, 'in use in the period')).toBe(7)
    expect([total(scopes, 'Trashed'), total(scopes, 'Locked')]).toEqual([1, 1])
    expect(book.notes('Boards').join()).toContain('does not show which classification label')
    expect(
      book.records('Boards', 'Label that we applied').map((row) => Object.values(row).slice(0, 3)),
    ).toEqual([
      ['Level 3', 3, 2],
      ['(taken away again)', null, 1],
    ])
  })

  it('have collaborators by role and from outside; lists that may be incomplete are named', () => {
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

  it('keep the label that we applied after they left the list', async () => {
    await sql`update svc.whiteboards set _deleted_at = '2026-11-19T13:00:00Z'
      where account = 'acme' and whiteboard_id in ('wb-1', 'wb-3')`.execute(world.warehouse.db)
    const without = await world.audit('acme')
    expect(
      without
        .records('Boards', 'Label that we applied')
        .map((row) => [row['Label that we applied'], row.Boards, row['in use in the period']]),
    ).toEqual([
      ['Level 3', 2, 2],
      ['(taken away again)', 1, 1],
    ])
    const [board] = without.records('Boards', 'Board').filter((row) => row['Board ID'] === 'wb-1')
    expect([board?.Remark, board?.['Label that we applied']]).toEqual([
      'not in the list of boards',
      'Level 3',
    ])
    await sql`update svc.whiteboards set _deleted_at = null where account = 'acme'`.execute(
      world.warehouse.db,
    )
  })

  it('are reported as never read, with the labels that we applied', async () => {
    const applied = { board: 'wb-1', at: '2026-10-01T08:00:00Z', id: 'label-1', name: 'Level 1' }
    await appliedLabel('bare', applied).execute(world.warehouse.db)
    const bare = await world.audit('bare')
    const [label] = bare.records('Boards', 'Label that we applied')
    expect([label?.['Label that we applied'], label?.Boards]).toEqual(['Level 1', 1])
    expect(bare.notes('Boards')[0]).toContain('never read')
    expect(bare.notes('Provenance').join()).toContain('whiteboards, whiteboard_collaborators')
    expect(bare.sheets).not.toContain('All collaborators')
  })
})
