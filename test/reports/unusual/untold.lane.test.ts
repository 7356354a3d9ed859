import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../../reports/whiteboard-audit.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'
import { seed } from '../audit-world.ts'
import { readSheets, type Sheets } from '../read-sheets.ts'
import { type ArchiveToInsert, insertBoards } from '../whiteboard-fixture.ts'

const SHEET = 'Unusual activity'
/** The archive has windows from the middle of August, and sessions from September 1. */
const PARAMS = { from: '2026-10-26', to: '2026-10-31' }
const SETTINGS = { baseDays: 56, nightHours: '0-5' }

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })

const audit = (account: string, more: object = {}): Promise<Sheets> =>
  readSheets(warehouse, {
    report: whiteboardAudit,
    account,
    params: PARAMS,
    timeZone: 'UTC',
    settings: SETTINGS,
    ...more,
  })

/** Inserts archives and the list of boards. */
async function seedWhole(account: string, run: Partial<ArchiveToInsert> = {}): Promise<void> {
  await seed(warehouse, account, run)
  await insertBoards(warehouse, account)
}

describe('an audit whose days were all read', () => {
  let sheets: Sheets
  beforeAll(async () => {
    await seedWhole('known')
    sheets = await audit('known')
  })

  it('is green, and shows how many tests found nothing', () => {
    expect(
      sheets.tone('Summary', 'No unusual activity was found in 2026-10-26..2026-10-31 ('),
    ).toBe('good')
    expect(sheets.notes(SHEET)).not.toContain('proven complete')
    const tested = sheets.lines(SHEET, 'Tests by kind')
    expect(tested.map((line) => line.State)).toEqual(['tested', 'tested', 'tested', 'tested'])
    const all = tested.reduce((sum, line) => sum + Number(line.Tests), 0)
    expect(all).toBeGreaterThan(60)
    expect(sheets.notes('Summary')).toContain(`(${all} tests)`)
  })
})

it.each([
  [
    'a week of the base was not read',
    { absent: ['2026-09-10'] },
    '7 of the 56 days before the period were not',
  ],
  [
    'a week of the period was not read',
    { failed: ['2026-10-29'] },
    'Not all days of the period are proven complete',
  ],
  [
    'activities of a session of the period were not read',
    { unread: ['s000165'] },
    'Not all days of the period are proven complete',
  ],
  [
    'the history is too short',
    { absent: ['2026-08-27', '2026-09-03', '2026-09-10', '2026-09-17', '2026-09-24'] },
    'Not tested: Mass deletion. Reason: only 25 of the days before were read completely, and 28 are needed',
  ],
])('an audit is not green if %s', async (name, run, said) => {
  await seedWhole(name, run)
  const sheets = await audit(name)
  expect(sheets.notes(SHEET)).toContain(said)
  expect(sheets.notes('Summary')).not.toMatch(/^No unusual activity/m)
  for (const sheet of ['Summary', SHEET])
    for (const begins of ['As far as it could be tested, no unusual', 'Unusual activity in'])
      expect(sheets.tone(sheet, begins) ?? 'plain').toBe('plain')
  expect(sheets.notes('Summary')).toMatch(/unusual activity/i)
})

it('an audit is not green if the list of boards was never read or a board disappeared', async () => {
  await seed(warehouse, 'boards')
  const unread = await audit('boards')
  expect(unread.tone(SHEET, 'The list of boards was never read')).toBe('warning')
  expect(unread.tone('Summary', 'As far as it could be tested')).toBe('plain')
  await insertBoards(warehouse, 'boards')
  await sql`update svc.whiteboards set _deleted_at = '2026-10-29Z', _deleted_run_id = _run_id,
      _changed_at = '2026-10-29Z'
    where account = 'boards' and whiteboard_id = 'wb-3'`.execute(warehouse.db)
  const gone = await audit('boards')
  expect(gone.tone('Summary', 'No unusual activity was found')).toBe('plain')
  expect(gone.notes('Summary')).toContain(
    '1 whole board was deleted; the service does not report by whom.',
  )
})

it('an audit excludes days that were not completely read from the base', async () => {
  await seedWhole('gap', { absent: ['2026-09-10'] })
  const sheets = await audit('gap')
  const { rows } = await sql<{ units: number }>`
    select count(*)::int as units from (
      select coalesce(nullif(user_id, ''), collaborator_name), create_time::date as day
      from svc.whiteboard_activities where account = 'gap'
      union select coalesce(nullif(user_id, ''), user_name), joined_at::date
      from svc.whiteboard_participants where account = 'gap') d (who, day)
    where day between '2026-08-31' and '2026-10-25'
      and day not between '2026-09-10' and '2026-09-16'`.execute(warehouse.db)
  const [deletions] = sheets.lines(SHEET, 'Tests by kind')
  expect(deletions).toMatchObject({ 'Person-days': rows[0]?.units, 'Days counted': 55 - 7 })
})

it('an audit is not green if the account has no quiet hours to derive the night from', async () => {
  await seedWhole('around the clock')
  const sheets = await audit('around the clock', { settings: { ...SETTINGS, nightHours: null } })
  expect(sheets.notes(SHEET)).toContain(
    'Not tested: At night. Reason: the account has no three quiet hours',
  )
  expect(sheets.tone('Summary', 'As far as it could be tested')).toBe('plain')
  const night = sheets.lines(SHEET, 'Tests by kind').find((line) => line.Kind === 'At night')
  expect(night).toMatchObject({ State: 'not tested', Tests: 0 })
})

/** Adds deletions of three objects each by one person, in the sessions that began on a morning. */
async function plant(account: string, day: string, activities: number): Promise<void> {
  await sql`insert into svc.whiteboard_activities (account, session_id, id, type, create_time, user_id,
      collaborator_id, collaborator_name, email, object_ids, _raw, _hash, _first_seen_at, _changed_at,
      _run_id)
    select account, session_id, 'd' || n, 'Remove objects', create_time + make_interval(secs => n), user_id,
      collaborator_id, collaborator_name, email, array['x' || n, 'y' || n, 'z' || n], _raw,
      sha256(convert_to('d' || n, 'UTF8')), _first_seen_at, _changed_at, _run_id
    from svc.whiteboard_activities cross join generate_series(1, ${activities}::int) n
    where account = ${account} and id = 'a0' and create_time >= ${day}::timestamptz
      and create_time < ${day}::timestamptz + interval '10 hours'`.execute(warehouse.db)
}

const found = (sheets: Sheets) =>
  sheets.lines(SHEET, 'Findings and near-findings').filter((line) => line.Kind === 'Mass deletion')

it('an audit finds planted deletions although some days were not read, and reports both', async () => {
  await seedWhole('planted', { absent: ['2026-09-10'] })
  await plant('planted', '2026-10-28Z', 40)
  const sheets = await audit('planted')
  const [line] = found(sheets)
  expect(line).toMatchObject({ Verdict: 'unusual', Day: '2026-10-28', Count: 120, Boards: 1 })
  expect(line?.['Own rate']).toBe(0)
  // Other activities of the same person are not traces of the finding.
  const all = sheets.lines(SHEET, 'Events of the findings')
  const traces = all.filter((one) => one.Finding === line?.Finding)
  expect(traces.map((one) => one.What)).toEqual(Array.from({ length: 40 }, () => 'Remove objects'))
  expect(sheets.tone('Summary', 'Unusual activity in')).toBe('bad')
  expect(sheets.notes(SHEET)).toContain('7 of the 56 days before the period were not read')
})

it('an audit does not report a person’s day as unusual if earlier days were like it', async () => {
  await seedWhole('as before')
  await plant('as before', '2026-10-28Z', 40)
  const [line] = found(await audit('as before'))
  await sql`update svc.whiteboard_activities set create_time = create_time - interval '35 days'
    where account = 'as before' and id = 'd1'`.execute(warehouse.db)
  const [less] = found(await audit('as before'))
  expect([line?.Count, less?.Count]).toEqual([120, 117])
  await sql`update svc.whiteboard_activities set create_time = create_time - interval '35 days'
    where account = 'as before' and substr(id, 1, 1) = 'd' and substr(id, 2)::int % 2 = 0`.execute(
    warehouse.db,
  )
  expect(found(await audit('as before'))).toEqual([])
})

it('an audit reports no finding if the history is too short', async () => {
  const absent = ['2026-08-27', '2026-09-03', '2026-09-10', '2026-09-17', '2026-09-24']
  await seedWhole('short', { absent })
  await plant('short', '2026-10-28Z', 40)
  const sheets = await audit('short')
  expect(found(sheets)).toEqual([])
  expect(sheets.lines(SHEET, 'Tests by kind')[0]).toMatchObject({ State: 'not tested', Tests: 0 })
  expect(sheets.notes('Summary')).toContain(
    'Unusual activity in 2026-10-26..2026-10-31 could not be tested',
  )
})

it('an audit of one board or person is not tested for unusual activity', async () => {
  const sheets = await audit('known', { params: { ...PARAMS, whiteboard: 'wb-3' } })
  expect(sheets.notes(SHEET)).toBe(
    'Unusual activity is tested only in a report on the whole account, without --whiteboard and --user.',
  )
  expect(sheets.notes('Summary')).not.toContain('nusual')
})
