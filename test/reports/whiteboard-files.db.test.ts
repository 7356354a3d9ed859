import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { type AuditWorld, OCTOBER, total, useAuditWorld } from './audit-world.ts'
import type { Workbook } from './workbook.ts'

let world: AuditWorld

useAuditWorld(whiteboardAudit, (opened) => {
  world = opened
})

/**
 * Inserts a file for each activity of October, and an incident for each expired one. `state` and `reason` are
 * SQL expressions with the activity's number `n`, from 1.
 */
async function seedFiles(account: string, { state, reason }: { state: string; reason: string }) {
  await world.seed(account)
  await sql`
    insert into callsheet.files (account, kind, parent, item, state, reason, expires_at, sha256, size,
      state_at, tries)
    select account, 'activity', session_id, id, state, case when state <> 'stored' then reason end,
      create_time + interval '60 days', case when state = 'stored' then sha256('x') end,
      case when state = 'stored' then 1 end, '2026-11-19T12:00:00Z', 1
    from (select *, ${sql.raw(state)} as state, ${sql.raw(reason)} as reason
      from (select *, row_number() over (order by create_time, session_id, id) as n
        from svc.whiteboard_activities where account = ${account} and ${OCTOBER}) a) a`.execute(
    world.warehouse.db,
  )
  await sql`
    insert into callsheet.incidents (account, kind, subject, at, detail)
    select account, 'expired_before_download', 'activity:' || parent || ':' || item,
      '2026-11-15T00:00:00Z', 'deleted' from callsheet.files
    where account = ${account} and state = 'expired'`.execute(world.warehouse.db)
}

const activities = (account: string) =>
  world.counted(
    sql`select count(*) from svc.whiteboard_activities where account = ${account} and ${OCTOBER}`,
  )

describe('files that the service never offered', () => {
  let book: Workbook
  beforeAll(async () => {
    const state = `case when n in (300, 400) then 'expired' when n % 2 = 0 then 'missing' else 'stored' end`
    await seedFiles('offered', { state, reason: `'the service offers no file for it'` })
    book = await world.audit('offered')
  })

  it('are shown as “no file” instead of “missing” on every sheet', async () => {
    const states = book.records('Files', 'State').map((row) => row.State)
    expect(states).toEqual(['expired', 'no file', 'stored'])
    const never = Math.floor((await activities('offered')) / 2) - 2
    const told = book.records('All activities', 'Time').filter((row) => row.File === 'no file')
    const figure = book.figure('Summary', 'Activities without a file')
    expect([told.length, figure]).toEqual([never, never])
    for (const [sheet, header] of [
      ['All activities', 'Time'],
      ['Files', 'Archive expires'],
    ] as const)
      expect(book.rows(sheet, header).flat()).not.toContain('missing')
  })

  it('are listed after lost files', () => {
    const order = book.records('Files', 'Archive expires').map((row) => row.State)
    expect(order.slice(0, 3)).toEqual(['expired', 'expired', 'no file'])
  })
})

describe('the audit’s counts of files by state', () => {
  it('add up even if every refusal has a different tracking ID or reason', async () => {
    const state = `case when n <= 210 then 'pending' when n <= 420 then 'expired' else 'stored' end`
    const tracked = `'status 403 (x-svc-trackingid sbx_' || n || ')'`
    const reason = `case when n <= 210 then ${tracked} else 'why ' || n end`
    await seedFiles('reasons', { state, reason })
    const book = await world.audit('reasons')
    const rows = book.records('Files', 'State')
    expect(total(rows, 'Files')).toBe(await activities('reasons'))
    expect(total(rows, 'Share')).toBeCloseTo(1)
    const pending = rows.filter((row) => row.State === 'pending')
    expect(pending.map((row) => [row.Reason, row.Files])).toEqual([['status 403', 210]])
    const expired = rows.filter((row) => row.State === 'expired')
    expect(expired.map((row) => row.Files)).toEqual([...Array<number>(20).fill(1), 190])
    expect(expired.at(-1)?.Reason).toBe('190 other reasons')
  })
})

it('the audit lists every incident', async () => {
  await world.seed('many')
  await sql`insert into callsheet.incidents (account, kind, subject, at, detail)
    select 'many', 'missing', 'store ' || n, '2026-10-10T00:00:00Z', 'full'
    from generate_series(1, 10500) n`.execute(world.warehouse.db)
  const book = await world.audit('many')
  expect(book.rows('Incidents', 'At')).toHaveLength(10_500)
})
