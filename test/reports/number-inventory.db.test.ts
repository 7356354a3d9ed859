import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import numberInventory from '../../reports/number-inventory.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import * as fixture from './fixture.ts'

let database: TestDatabase
let warehouse: Warehouse
let directory: string
let first: ExcelJS.Workbook
let second: ExcelJS.Workbook

beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 2 })
  directory = await mkdtemp(join(tmpdir(), 'callsheet-numbers-'))
  const users = await fixture.insertRun(warehouse, fixture.usersRun('acme', '2026-11-19T01:00:00Z'))
  const numbers = await fixture.insertRun(
    warehouse,
    fixture.numbersRun('acme', '2026-11-19T03:00:00Z'),
  )
  const runIds: [number, number] = [users, numbers]
  await fixture.insertNumbers(warehouse, { account: 'acme', runIds, count: 1_000 })
  first = await publish()
  const night = await fixture.insertRun(
    warehouse,
    fixture.numbersRun('acme', '2026-11-20T03:00:00Z'),
  )
  await change(night)
  second = await publish()
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
  await rm(directory, { recursive: true })
})

async function publish(): Promise<ExcelJS.Workbook> {
  const { files } = await publishReport(
    { warehouse },
    {
      report: numberInventory,
      account: 'acme',
      params: {},
      timeZone: 'UTC',
      directory,
      formats: ['xlsx'],
    },
  )
  const workbook = new ExcelJS.Workbook()
  return workbook.xlsx.readFile(files[0]?.path ?? '')
}

/** Changes the stock of a night: removes a number, adds one, and changes the product or place of others. */
async function change(run: number): Promise<void> {
  const at = '2026-11-20T02:59:00Z'
  await sql`insert into history.phone_numbers
    select n.*, _changed_at, ${at}, ${run}, case id when 'n000007' then 'deleted' else 'changed' end
    from svc.phone_numbers n where id in ('n000007', 'n000009', 'n000011', 'n000012', 'n000013')`.execute(
    warehouse.db,
  )
  await sql`update svc.phone_numbers set _deleted_at = ${at}, _deleted_run_id = ${run}
    where id = 'n000007'`.execute(warehouse.db)
  await sql`update svc.phone_numbers set allocated_product = 'UNALLOCATED',
      _changed_at = ${at}, _run_id = ${run}
    where id = 'n000009'`.execute(warehouse.db)
  await move({ at, run })
  await sql`update svc.phone_numbers set emergency_address = '{}', _changed_at = ${at}, _run_id = ${run}
    where id = 'n000013'`.execute(warehouse.db)
  await sql`insert into svc.phone_numbers (account, id, number, status, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    values ('acme', 'n999999', '+4930901820', 'Normal', '{}', '\\x00', ${at}, ${at}, ${run})`.execute(
    warehouse.db,
  )
}

/** Moves one number to another town; of another number, changes only the order and form of values. */
async function move({ at, run }: { at: string; run: number }): Promise<void> {
  const moved = sql`_changed_at = ${at}, _run_id = ${run}`
  await sql`update svc.phone_numbers set ${moved}, location_country = 'FR', location_city = 'Lille',
      location_state = '59', capability = array['Outgoing', 'Incoming'], address_update_required = true,
      site_name = null
    where id = 'n000012'`.execute(warehouse.db)
  await sql`update svc.phone_numbers set ${moved}, display_name = '', sip_group_name = null,
      capability = array['EmergencyCalls', 'Outgoing', 'Incoming']
    where id = 'n000011'`.execute(warehouse.db)
  await sql`insert into history.phone_number_assignments
    select a.*, _changed_at, ${at}, ${run}, 'changed'
    from svc.phone_number_assignments a where phone_number_id = 'n000012'`.execute(warehouse.db)
  await sql`update svc.phone_number_assignments set ${moved}, extension_number = '7012'
    where phone_number_id = 'n000012'`.execute(warehouse.db)
}

function rowsOf(workbook: ExcelJS.Workbook, sheet: string, header = 'Number'): unknown[][] {
  const rows: unknown[][] = []
  let seen = false
  workbook.getWorksheet(sheet)?.eachRow((row) => {
    const values = (row.values as unknown[]).slice(1)
    if (seen) rows.push(values)
    seen ||= values[0] === header
  })
  return rows
}

it('the inventory lists every number, as text', () => {
  const numbers = rowsOf(first, 'All numbers').map(([number]) => number)
  expect(numbers).toHaveLength(1_000)
  expect(numbers.every((number) => /^\+1415\d{7}$/.test(String(number)))).toBe(true)
})

it('the inventory counts each number once in every breakdown except the one by capability', () => {
  for (const title of [
    'Product',
    'Type',
    'Source',
    'Status',
    'Country',
    'Site',
    'Carrier',
    'SIP group',
  ]) {
    const rows = rowsOf(first, 'Breakdown', title)
    const end = rows.findIndex(([name]) => String(name).startsWith('By '))
    const counted = rows.slice(0, end).reduce((sum, row) => sum + Number(row[1]), 0)
    expect([title, counted]).toEqual([title, 1_000])
  }
  expect(rowsOf(first, 'Breakdown', 'Capability')[0]).toEqual(
    expect.arrayContaining(['Incoming', 1_000, 1]),
  )
})

it('the inventory lists the numbers that need attention', () => {
  // At most ten sheets stand between the summary and the long lists.
  expect(first.worksheets.findIndex(({ name }) => name === 'Assignees')).toBe(10)
  expect(rowsOf(first, 'Unassigned')).toHaveLength(400)
  expect(rowsOf(first, 'Pending')).toHaveLength(20)
  const duplicates = rowsOf(first, 'Duplicates').map(([number]) => number)
  expect(duplicates).toHaveLength(8)
  expect(new Set(duplicates).size).toBe(4)
  expect(rowsOf(first, 'Inactive users')).toHaveLength(100)
  // Every 7th number has no address and every 8th an empty one; every 5th cannot make emergency calls.
  const addresses = rowsOf(first, 'Emergency addresses')
  expect(addresses.filter((row) => row[7] === 'no')).toHaveLength(142 + 143 - 28 - 29)
  expect(addresses).toHaveLength(142 + 143 - 28 - 29)
})

it('the inventory begins with savings and with numbers without safe emergency calls', () => {
  const found = notesOf(second)
  expect(found[1]).toMatch(/^\d+ of [\d,]+ numbers are unassigned/)
  // Without an address already in the first inventory, and the one that lost its address since.
  expect(found[2]).toMatch(
    /^\d+ numbers in use can make emergency calls without an address \(1 had one in the last inventory\): /,
  )
  expect(found[3]).toBe(
    '1 number in use could make emergency calls in the last inventory and no longer can: restore that, ' +
      'or tell the people who use it.',
  )
  expect(notesOf(first).join()).not.toContain('last inventory')
})

it('the inventory asks to check numbers that are listed twice', () => {
  expect(notesOf(first)).toContain(
    '8 entries have a number that is listed more than once: ask the service’s support which entry is valid.',
  )
})

/** The sentences on the first sheet. */
function notesOf(workbook: ExcelJS.Workbook): string[] {
  const texts: string[] = []
  workbook.getWorksheet('Summary')?.eachRow((row) => texts.push(row.getCell(1).text))
  return texts.filter((text) => / /.test(text) && text.endsWith('.'))
}

it('the inventory lists exactly the changes since the previous inventory', () => {
  expect(first.getWorksheet('Changes')?.getCell('A4').value).toMatch(/first inventory/)
  const changes = rowsOf(second, 'Changes', 'Change')
  expect(changes.map((row) => [row[0], row[9]])).toEqual([
    ['added', 'n999999'],
    ['changed', 'n000009'],
    ['changed', 'n000012'],
    ['changed', 'n000013'],
    ['removed', 'n000007'],
  ])
  expect(changes[1]?.[8]).toBe('product: SVC_PHONE → UNALLOCATED')
  // The columns contain the new values, and the text beside them the old and new ones.
  expect(changes[2]?.slice(5, 8)).toEqual(['France', undefined, 'Person 12'])
  expect(changes[2]?.[8]).toBe(
    'extension: 1012 → 7012; capability: EmergencyCalls, Incoming, Outgoing → Incoming, Outgoing; ' +
      'address needs an update: no → yes; site: Headquarters → none; ' +
      'country: DE → FR; city: Springfield → Lille; state: none → 59',
  )
  expect(second.getWorksheet('Changes')?.getCell('A4').value).toMatch(/as of 2026-11-19 03:00/)
})

it('the inventory compares a repeated inventory with the same previous one', async () => {
  const again = await publish()
  expect(rowsOf(again, 'Changes', 'Change')).toEqual(rowsOf(second, 'Changes', 'Change'))
})

it('the inventory has the data time of the numbers, and its cover names data of other nights', async () => {
  const warnings = (book: ExcelJS.Workbook): string[] => {
    const found: string[] = []
    book.getWorksheet('Provenance')?.eachRow((row) => found.push(row.getCell(1).text))
    return found.filter((text) => text.startsWith('Not all data is as of the same night'))
  }
  expect(warnings(second)).toEqual([])
  await fixture.insertRun(warehouse, fixture.usersRun('acme', '2026-11-23T01:00:00Z'))
  expect(warnings(await publish())).toEqual([
    'Not all data is as of the same night: users is as of 2026-11-23 01:00 (job users). ' +
      'Each stream is shown as of the last run that read it completely.',
  ])
  await fixture.insertRun(warehouse, fixture.numbersRun('acme', '2026-11-26T03:00:00Z'))
  const moved = await publish()
  expect(moved.getWorksheet('Provenance')?.getCell('A2').text).toContain('as of 2026-11-26 03:00')
  expect(warnings(moved)[0]).toContain(': users is as of 2026-11-23 01:00 (job users).')
})

it('the inventory offers the account’s products and sites in the cells that may be edited', async () => {
  const list = second.getWorksheet('All numbers')
  const rules = Object.entries(
    (list as unknown as { dataValidations: { model: Record<string, ExcelJS.DataValidation> } })
      .dataValidations.model,
  )
  const ruleOf = (column: string) => rules.find(([cell]) => cell.startsWith(column))?.[1]
  const products = ['"Unallocated,Phone,Contact center"']
  expect(ruleOf('B')).toMatchObject({ type: 'list', formulae: products })
  expect(ruleOf('B')?.errorStyle).toBeUndefined()
  const site = ruleOf('F')
  expect(site).toMatchObject({ type: 'list', errorStyle: 'warning', showErrorMessage: true })
  const [, from, to] = /\$A\$(\d+):\$A\$(\d+)$/.exec(String(site?.formulae[0])) ?? []
  const lists = second.getWorksheet('Lists')
  expect(lists?.state).toBe('hidden')
  const offered = Array.from(
    { length: Number(to) - Number(from) + 1 },
    (_none, at) => lists?.getCell(`A${Number(from) + at}`).value,
  )
  const { rows } = await sql<{ site: string }>`
    select distinct coalesce(nullif(site_name, ''), site_id) as site
    from svc.phone_numbers where coalesce(site_name, site_id) <> '' and _deleted_at is null`.execute(
    warehouse.db,
  )
  expect(offered.length).toBeGreaterThan(1)
  expect(offered).toEqual(rows.map((row) => row.site).toSorted())
})
