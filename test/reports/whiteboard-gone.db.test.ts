import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import {
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import {
  type DeletionTarget,
  markChildrenDeleted,
  markDeleted,
} from '../../src/warehouse/load/mark-deleted.ts'
import { type AuditWorld, useAuditWorld } from './audit-world.ts'
import * as fixture from './whiteboard-fixture.ts'
import type { Workbook } from './workbook.ts'

let world: AuditWorld
let before: Workbook

useAuditWorld(whiteboardAudit, async (opened) => {
  world = opened
  await world.seed('acme')
  before = await world.audit('acme')
})

const SHEETS = [
  ['Sessions', 'Start'],
  ['All stays', 'Joined'],
  ['All activities', 'Time'],
] as const

const counts = (book: Workbook) => SHEETS.map(([sheet, start]) => book.rows(sheet, start).length)

/** Marks sessions and their participants as deleted, as a run does. */
async function findGone(runId: number, sessions: readonly string[]): Promise<void> {
  const target: DeletionTarget = {
    account: 'acme',
    runId,
    stream: whiteboardSessions,
    owned: { kind: 'all' },
    children: [whiteboardParticipants],
  }
  await world.warehouse.transaction((tx) =>
    markDeleted(
      tx,
      target,
      sessions.map((id) => [id]),
    ),
  )
}

describe('sessions that were deleted at the service before they expired', () => {
  let book: Workbook
  beforeAll(async () => {
    const first = await world.counted(sql`select max(id) from callsheet.runs`)
    // Participants that a run removed from a session's list stay removed: this is no deleted session.
    await world.warehouse.transaction((tx) =>
      markChildrenDeleted(
        tx,
        { account: 'acme', runId: first, stream: whiteboardParticipants },
        { parents: ['s000100'], kept: [] },
      ),
    )
    const runId = await fixture.insertArchiveRun(world.warehouse, {
      account: 'acme',
      finishedAt: '2026-11-21T02:00:00Z',
    })
    await findGone(runId, ['s000100', 's000101', 's000102'])
    book = await world.audit('acme')
  })

  it('stay in the audit with all their activities', () => {
    const [sessions = 0, stays = 0, activities = 0] = counts(before)
    expect(counts(book)).toEqual([sessions, stays - 3, activities])
    const deleted = book
      .records('Sessions', 'Start')
      .filter((row) => row['Found deleted at the service'] !== null)
    expect(deleted.map((row) => [row['Session ID'], row.Activities])).toEqual(
      before
        .records('Sessions', 'Start')
        .filter((row) => /^s00010[012]$/.test(String(row['Session ID'])))
        .map((row) => [row['Session ID'], row.Activities]),
    )
    const board = (one: Workbook) =>
      one.records('All activities', 'Time').map((row) => [row['Activity ID'], row['Board ID']])
    expect(board(book)).toEqual(board(before))
  })

  it('are reported on the cover', () => {
    const told = '3 sessions were deleted at the service before their archives expired.'
    expect(book.notes('Provenance')).toContainEqual(expect.stringContaining(told))
    expect(before.notes('Provenance').join()).not.toContain('deleted')
  })

  it('make their days incomplete if they were deleted before they were read', async () => {
    await sql`delete from callsheet.slices where account = 'acme' and slice = 'session=s000102'`.execute(
      world.warehouse.db,
    )
    const lacking = await world.audit('acme')
    expect(lacking.notes('Provenance').join()).toContain(
      'activities of 1 session not read: deleted at the service before a sync read them',
    )
  })
})
