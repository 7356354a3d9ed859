import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { type AuditWorld, OCTOBER, useAuditWorld } from './audit-world.ts'
import type * as fixture from './whiteboard-fixture.ts'
import type { Workbook } from './workbook.ts'

let world: AuditWorld

useAuditWorld(whiteboardAudit, (opened) => {
  world = opened
})

type Column = 'start_time' | 'end_time'

/** The audit of October after these times of s000100, a session of October 4, were removed. */
async function without(
  account: string,
  times: readonly Column[],
  run: Partial<fixture.ArchiveToInsert> = {},
): Promise<Workbook> {
  await world.seed(account, run)
  return losing(account, times)
}

async function losing(account: string, times: readonly Column[]): Promise<Workbook> {
  for (const time of times)
    await sql`update svc.whiteboard_sessions set ${sql.id(time)} = null
      where account = ${account} and id = 's000100'`.execute(world.warehouse.db)
  return world.audit(account)
}

const found = (book: Workbook) =>
  book.records('Sessions', 'Start').filter((row) => row['Session ID'] === 's000100')
const ofSession = (book: Workbook) =>
  book.records('All activities', 'Time').filter((row) => row['Session ID'] === 's000100')

describe('a session without a start time', () => {
  it.each([['start_time'], ['start_time', 'end_time']] as Column[][])(
    'is listed with its stays and activities (without %s %s)',
    async (...times) => {
      const account = `without-${times.length}`
      const book = await without(account, times)
      expect(found(book).map((row) => [row.Start, row.People, row.Activities])).toEqual([
        [null, 2, 5],
      ])
      const activities = await world.counted(
        sql`select count(*) from svc.whiteboard_activities where account = ${account} and ${OCTOBER}`,
      )
      expect(book.records('All activities', 'Time')).toHaveLength(activities)
      const stays = book.records('All stays', 'Joined')
      expect(stays.filter((row) => row['Session ID'] === 's000100')).toHaveLength(3)
      expect(book.chart('Sessions by day')[3]).toEqual(['4', 3])
    },
  )

  it('is not listed in another month', async () => {
    const november = await world.audit('without-1', { from: '2026-11-01', to: '2026-11-10' })
    expect([found(november), ofSession(november)]).toEqual([[], []])
  })

  it('makes its day incomplete if its activities were not read', async () => {
    const book = await without('unread', ['start_time'], { unread: ['s000100'] })
    expect(book.notes('Provenance').join()).toContain(
      '1 of 31 days are NOT complete: 2026-10-04 (activities of 1 session not read',
    )
    expect(book.notes('Provenance')[0]).toContain('NOT complete')
  })
})

it('the audit counts an activity at its own time, even if it is outside its session', async () => {
  await world.seed('apart')
  await sql`update svc.whiteboard_sessions set start_time = '2026-08-20Z', end_time = '2026-08-21Z'
    where account = 'apart' and id = 's000100'`.execute(world.warehouse.db)
  const book = await world.audit('apart')
  expect(ofSession(book).map((row) => row.Board)).toEqual(Array(5).fill('@SUM(A1)'))
})

describe('a session and activities without any time', () => {
  let book: Workbook
  beforeAll(async () => {
    await world.seed('untimed')
    const of = sql`where account = 'untimed' and session_id = 's000100'`
    await sql`update svc.whiteboard_activities set create_time = null ${of}`.execute(
      world.warehouse.db,
    )
    await sql`update svc.whiteboard_participants set joined_at = null ${of}`.execute(
      world.warehouse.db,
    )
    book = await losing('untimed', ['start_time', 'end_time'])
  })

  it('are reported, and no day counts as proven', () => {
    const notes = book.notes('Provenance').join()
    expect(notes).toContain('1 session and 5 activities have no time on record, so no sheet shows')
    expect(notes).toContain('31 of 31 days are not proven yet')
    expect(notes).not.toContain('are proven complete')
    expect([found(book), ofSession(book)]).toEqual([[], []])
  })

  it('do not affect the audit of days after they were first seen', async () => {
    const later = await world.audit('untimed', { from: '2026-11-19', to: '2026-11-19' })
    const after = await world.audit('untimed', { from: '2026-11-21', to: '2026-11-22' })
    expect(later.notes('Provenance').join()).toContain('have no time on record')
    expect(after.notes('Provenance').join()).not.toContain('have no time on record')
  })
})

it('the audit shows no duration for a session whose end is before its start', async () => {
  await world.seed('backwards')
  await sql`update svc.whiteboard_sessions set end_time = start_time - interval '2 hours'
    where account = 'backwards' and id = 's000100'`.execute(world.warehouse.db)
  const book = await world.audit('backwards')
  expect(found(book).map((row) => [row.Duration, row.Activities])).toEqual([[null, 5]])
  expect(ofSession(book)).toHaveLength(5)
})
