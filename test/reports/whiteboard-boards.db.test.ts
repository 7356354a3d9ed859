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

describe('the boards of the audit', () => {
  it('are counted by link sharing: all boards, and those in use', () => {
    const scopes = book.records('Boards', 'Link access')
    expect(scopes.map((row) => [row['Link access'], row.Boards])).toEqual([
      ['anyone', 3],
      ['the account and guests who sign in', 3],
      ['the account', 3],
      ['restricted', 3],
    ])
    expect(total(scopes, 'Used in the period')).toBe(7)
    expect([total(scopes, 'Trashed'), total(scopes, 'Locked')]).toEqual([1, 1])
    expect(book.notes('Boards').join()).toContain('does not report which classification label')
    expect(
      book.records('Boards', 'Applied label').map((row) => Object.values(row).slice(0, 3)),
    ).toEqual([
      ['Level 3', 3, 2],
      ['(removed)', null, 1],
    ])
  })

  it('have collaborators by role and from outside; lists that may be incomplete are named', () => {
    const roles = book.records('Collaborators', 'Role')
    expect(total(roles, 'Collaborators')).toBe(11 * 10 + 1_000)
    expect(total(roles, 'From outside')).toBe(11 * 2 + 200)
    expect(roles[0]).toMatchObject({ Role: 'owner', Collaborators: 12, 'From outside': 0 })
    expect(book.notes('Collaborators').join()).toContain(
      '1 list of collaborators may be incomplete: the service shows at most 1000',
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
        .records('Boards', 'Applied label')
        .map((row) => [row['Applied label'], row.Boards, row['Used in the period']]),
    ).toEqual([
      ['Level 3', 2, 2],
      ['(removed)', 1, 1],
    ])
    const [board] = without.records('Boards', 'Board').filter((row) => row['Board ID'] === 'wb-1')
    expect([board?.Remark, board?.['Applied label']]).toEqual([
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
    const [label] = bare.records('Boards', 'Applied label')
    expect([label?.['Applied label'], label?.Boards]).toEqual(['Level 1', 1])
    expect(bare.notes('Boards')[0]).toContain('never read')
    expect(bare.notes('Provenance').join()).toContain('whiteboards, whiteboard_collaborators')
    expect(bare.sheets).not.toContain('All collaborators')
  })
})
