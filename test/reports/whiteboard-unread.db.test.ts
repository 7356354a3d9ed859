import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { type AuditWorld, useAuditWorld } from './audit-world.ts'
import { readWorkbook, type Workbook } from './workbook.ts'

let world: AuditWorld

/** The first two weeks of October were never read, except for the session that began on September 30. */
useAuditWorld(whiteboardAudit, async (opened) => {
  world = opened
  await world.seed('acme', { absent: ['2026-10-01', '2026-10-08'] })
  await forget(world)
})
async function forget({ warehouse: { db } }: AuditWorld): Promise<void> {
  const unread = sql`select id from svc.whiteboard_sessions
    where start_time >= '2026-10-01Z' and start_time < '2026-10-15Z'`
  for (const child of ['whiteboard_participants', 'whiteboard_activities'])
    await sql`delete from ${sql.id('svc', child)} where session_id in (${unread})`.execute(db)
  await sql`delete from svc.whiteboard_sessions where id in (${unread})`.execute(db)
  // October 20 was read and had no activities.
  await sql`delete from svc.whiteboard_activities
    where create_time >= '2026-10-20Z' and create_time < '2026-10-21Z'`.execute(db)
}

describe('the audit of a period with unread days', () => {
  let book: Workbook
  let page: string
  beforeAll(async () => {
    const { files } = await world.publish('acme', {}, ['xlsx', 'html'])
    book = await readWorkbook(files[0]?.path ?? '')
    page = await readFile(files[1]?.path ?? '', 'utf8')
  })

  it('has no counts for days that were not read, and zeros for quiet days', () => {
    const chart = book.chart('Activities by day, not read: 2026-10-01 to 2026-10-14')
    const counts = chart.map(([day, inside, outside]) => [day, inside ?? null, outside ?? null])
    expect(counts[0]).toEqual(['1', 1, 1])
    expect(counts.slice(1, 14)).toEqual(
      Array.from({ length: 13 }, (_, at) => [String(at + 2), null, null]),
    )
    expect(counts[14]).toEqual(['15', expect.any(Number), expect.any(Number)])
    expect(counts[19]).toEqual(['20', 0, 0])
  })

  it('repeats the verdict, and has no positive note', () => {
    const [verdict, scenario] = book.notes('Summary')
    expect(verdict).toContain('The period 2026-10 is NOT complete')
    const none =
      'As far as data was read, no files of 2026-10 were lost, and no incidents are recorded.'
    expect(scenario).toBe(none)
    expect(page).toContain(`<p class="note plain">${none}</p>`)
    expect(book.notes('Summary')[2]).toMatch(/^2 people from outside/)
  })

  it('is NOT complete for a single user either, known or not', async () => {
    const known = await world.audit('acme', { user: 'u1' })
    expect(known.notes('Summary')[0]).toContain('NOT complete')
    const nobody = await world.audit('acme', { user: 'u99' })
    expect(nobody.notes('Summary')[0]).toContain('NOT complete')
    expect(nobody.notes('Summary')[2]).toMatch(
      /^Only the user u99: as far as data was read, there are no archived sessions in 2026-10/,
    )
    expect(nobody.rows('All stays', 'Joined')).toEqual([
      ['As far as data was read, there are no stays.'],
    ])
  })
})

it('the audit does not show unread days as days without sessions', async () => {
  const july = { from: '2026-07-01', to: '2026-07-31' }
  const { files } = await world.publish('acme', july, ['xlsx', 'html'])
  const book = await readWorkbook(files[0]?.path ?? '')
  expect(book.notes('Summary')).toEqual([
    expect.stringContaining('The period 2026-07 is NOT complete'),
  ])
  expect(await readFile(files[1]?.path ?? '', 'utf8')).toContain(
    '<p class="note warning">Nothing of 2026-07 was read.</p>',
  )
  expect(() => book.rows('Summary', '')).toThrow('no table')
  for (const [sheet, header] of [
    ['Sessions', 'Start'],
    ['Participants', 'Person'],
    ['All activities', 'Time'],
    ['Files', 'Archive expires'],
  ] as const)
    expect([sheet, ...book.rows(sheet, header)]).toEqual([sheet, ['Nothing of 2026-07 was read.']])
  const person = await world.audit('acme', { user: 'u1', ...july })
  expect(person.notes('Summary')[1]).toBe('Only the user Person 1: nothing of 2026-07 was read.')
})

it('the audit has no positive note on a period with an unread session', async () => {
  await world.seed('late', { unread: ['s000100'] })
  const notes = (await world.audit('late')).notes('Summary')
  expect(notes[0]).toContain('NOT complete')
  expect(notes[1]).toMatch(/^As far as data was read, no files/)
})
