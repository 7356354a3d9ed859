import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import accessReview from '../../reports/access-review.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as world from './access-world.ts'
import { readInventory } from './number-world.ts'
import { readSheets, type Sheets } from './read-sheets.ts'
import { readWorkbook } from './workbook.ts'

const PRICES =
  'reports.settings.number-inventory.prices and reports.settings.access-review.licensePrices'
const SETTINGS = { prices: world.PRICES, licensePrices: { 1: 0, 2: 14 }, inactiveDays: 90 }
let warehouse: Warehouse
let sheets: Sheets
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  await world.plantAccess(warehouse)
  sheets = await read()
})

const request = (settings: Record<string, unknown> = SETTINGS) => ({
  report: accessReview,
  account: 'hand',
  params: {},
  timeZone: 'UTC',
  settings,
})

const read = (settings?: Record<string, unknown>): Promise<Sheets> =>
  readSheets(warehouse, request(settings))

const ids = (sheet: string): unknown[] => sheets.lines(sheet).map((line) => line['User ID'])

describe('people to review', () => {
  it('are all people who left or are inactive and still have a number, license or board', () => {
    const expected = world.expectedPeople({ 1: 0, 2: 14 })
    expect(expected.length).toBeGreaterThan(5)
    const shown = sheets.lines('People to review').map((line) => ({
      id: line['User ID'],
      reason: line.Reason,
      cost: line['Monthly cost (EUR)'],
      type: line['License (user type)'],
      numbers: line.Numbers,
      boards: line['Boards owned'],
      open: line['Open to anyone'],
    }))
    expect(shown.toSorted(world.byId)).toEqual(expected.toSorted(world.byId))
  })

  it('are sorted by cost, the most expensive first', () => {
    const costs = sheets.lines('People to review').map((line) => line['Monthly cost (EUR)'])
    const known = costs.filter((cost) => cost !== null)
    expect(known).toEqual(known.toSorted((a, b) => Number(b) - Number(a)))
    expect(costs.slice(known.length).every((cost) => cost === null)).toBe(true)
  })

  it('do not include a person who logged in within the configured days', () => {
    expect(ids('People to review')).toContain('u90')
    expect(ids('People to review')).not.toContain('u89')
  })

  it('are listed apart from people without a recorded login, whose note is not green', () => {
    const unknown = sheets.lines('Login unknown').map((line) => [line['User ID'], line.Reason])
    expect(unknown.map(String).toSorted()).toEqual([
      'pending:new@example.com,invited, not joined yet',
      'stranger,not in the list of users',
      'u-never,no login on record',
    ])
    const since = sheets.lines('Login unknown').map((line) => line['Days since'])
    expect(since).toEqual([null, null, null])
    expect(sheets.tone('Summary', '3 more people have numbers')).toBe('plain')
    expect(sheets.notes('Summary')).toContain('compare them with the list of employees of HR')
  })

  it('are summed up in the report’s first sentence, which counts a shared number once', () => {
    const { numbers, licenses, boards, people, cost } = world.expectedTotals({ 1: 0, 2: 14 })
    expect(sheets.notes('Summary')).toContain(
      `${people} people who left or had no login for 90 days still have ${numbers} numbers, ` +
        `${licenses} licenses and ${boards} boards, for EUR ${Math.round(cost)} a month, not counting ` +
        '1 number and 1 license without a price: reclaim what they no longer need. ' +
        `To include their cost, set ${PRICES}.`,
    )
    expect(sheets.figures('Summary')).toMatchObject({
      'People to review': people,
      'Their numbers': numbers,
      'Their licenses': licenses,
      'Their monthly cost (EUR)': cost,
    })
  })

  it('have an unknown cost without prices; then every user type counts as a license', async () => {
    const bare = await read({})
    const what = `, at an unknown cost: reclaim what they no longer need. To see their cost, set ${PRICES}.`
    expect(bare.notes('Summary')).toContain(what)
    expect(bare.figures('Summary')['Their monthly cost (EUR)']).toBeNull()
    const expected = world.expectedPeople({}).map(({ id }) => id)
    const shown = bare.lines('People to review').map((line) => String(line['User ID']))
    expect(shown.toSorted()).toEqual(expected.toSorted())
    expect(bare.notes('People to review')).toContain('reports.settings.access-review.licensePrices')
  })
})

it('the inventory lists the people to review who have numbers', async () => {
  const settings = { prices: world.PRICES, inactiveDays: 90 }
  const inventory = await readInventory(warehouse, { settings })
  const expected = world
    .expectedPeople({ 1: 0, 2: 14 })
    .filter(({ numbers }) => numbers > 0)
    .map(({ id, reason, numbers }) => ({ id, reason, numbers }))
  const shown = inventory
    .lines('People to review')
    .map((line) => ({ id: line['User ID'], reason: line.Reason, numbers: line.Numbers }))
  expect(expected.length).toBeGreaterThan(3)
  expect(shown.toSorted(world.byId)).toEqual(expected.toSorted(world.byId))
  const unknown = inventory.lines('People to review', 'Login unknown')
  expect(unknown.map((line) => line['User ID'])).toEqual(['stranger'])
  const away = expected.filter(({ reason }) => reason !== 'deactivated')
  expect(inventory.notes('Summary')).toContain(
    `${away.length} people who were deleted or had no login for 90 days still have ` +
      `${away.reduce((sum, { numbers }) => sum + numbers, 0)} numbers: reassign or return them.`,
  )
})

describe('boards that people outside the account can open', () => {
  it('are listed if anyone with the link can open them, editable ones first', () => {
    const open = sheets
      .lines('Open to anyone')
      .map((line) => [line.Board, line.Owner, line['Link role']])
    expect(open).toEqual([
      ['Open for editing', 'Gone Person', 'editor'],
      ['Open to read', 'Ann', 'viewer'],
    ])
    expect(sheets.notes('Summary')).toContain(
      '2 boards are open to anyone with the link, 1 of them for editing: restrict the links.',
    )
  })

  it('are listed with the outsiders they are shared with', () => {
    const shared = sheets.lines('Shared outside').map((line) => [line.Board, line['Their names']])
    expect(shared).toEqual([
      ['Shared', 'Alma, Bo'],
      ['Open to read', 'Alma'],
    ])
  })

  it('are counted by owner', () => {
    const titles = ['Owner', 'Open to anyone', 'Shared outside', 'Outsiders', 'Boards owned']
    const owners = sheets.lines('By owner').map((line) => titles.map((title) => line[title]))
    expect(owners).toEqual([
      ['Ann', 1, 1, 1, 2],
      ['Gone Person', 1, 0, 0, 1],
      ['(not given)', 0, 1, 2, 1],
    ])
  })

  it('are listed with the outsiders who were active within the configured days', () => {
    const seen = sheets
      .lines('Active outsiders')
      .map((line) => [line.Name, line.Board, line['Last seen'], line.Sessions, line.Activities])
    expect(seen).toEqual([
      ['Cleo', 'Open to read', '2026-11-10T10:05:00', 1, 2],
      ['Alma', 'Shared', '2026-09-01T09:00:00', 1, 0],
    ])
  })
})

describe('the access review', () => {
  it('begins with sentences on people, open boards and outsiders, and has six figures', () => {
    expect(sheets.links('Summary').slice(0, 3)).toEqual([
      'People to review',
      'Open to anyone',
      'Active outsiders',
    ])
    expect(Object.keys(sheets.figures('Summary'))).toHaveLength(6)
  })

  it('consists of a workbook, a page and CSV files with a name for each list', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'callsheet-access-'))
    const made = await publishReport(
      { warehouse },
      { ...request(), directory, formats: ['xlsx', 'html', 'csv'] },
    )
    const names = await readdir(directory)
    expect(
      names
        .filter((name) => name.endsWith('.csv'))
        .map((name) => name.split('.')[1] ?? '')
        .toSorted(),
    ).toEqual([
      '00-figures',
      '00-notes',
      'active-outsiders',
      'by-owner',
      'login-unknown',
      'open-to-anyone',
      'people-to-review',
      'provenance',
      'shared-outside',
      'summary',
    ])
    const book = await readWorkbook(
      made.files.find(({ path }) => path.endsWith('xlsx'))?.path ?? '',
    )
    expect(book.rows('People to review', 'Person')).toHaveLength(
      sheets.lines('People to review').length,
    )
    await rm(directory, { recursive: true })
  })

  it('has no green note, but “as far as data was read”, if a list was not read', async () => {
    await sql`update callsheet.slices set state = 'failed'
      where stream = 'whiteboard_collaborators' and slice = 'whiteboard=w1'`.execute(warehouse.db)
    await sql`update svc.whiteboards set share_scope = 0`.execute(warehouse.db)
    const partial = await read()
    expect(partial.tone('Summary', 'As far as data was read, no board is open')).toBe('plain')
    expect(partial.notes('Summary')).toContain('NOT complete')
    await sql`update callsheet.slices set state = 'complete'`.execute(warehouse.db)
    expect((await read()).tone('Summary', 'No board is open to anyone with the link.')).toBe('good')
    // A scope that is missing, or that the documents do not name, may be open.
    for (const scope of [null, 4]) {
      await sql`update svc.whiteboards set share_scope = ${scope} where whiteboard_id = 'w1'`.execute(
        warehouse.db,
      )
      expect(
        (await read()).tone('Summary', 'No board is open to anyone with the link; of 1 board'),
      ).toBe('plain')
    }
  })

  it('has a green note that nobody who left has anything only if all holders are known', async () => {
    await sql`update svc.users set status = 'active', last_login_time = '2099-01-01Z'`.execute(
      warehouse.db,
    )
    const one = sql`(select ctid from svc.phone_number_assignments
      where assigned_to_type = 'User' and _deleted_at is null limit 1)`
    await sql`delete from svc.phone_number_assignments where ctid <> ${one}`.execute(warehouse.db)
    await sql`update svc.phone_number_assignments set assigned_to_id = ''`.execute(warehouse.db)
    await sql`delete from svc.whiteboard_collaborators where role = 0`.execute(warehouse.db)
    const shown = await read()
    expect(shown.notes('Summary')).toContain(
      'as far as owners of boards and holders of numbers are known',
    )
    expect(shown.tone('Summary', 'Nobody who left')).toBe('plain')
  })
})
