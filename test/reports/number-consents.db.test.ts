import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import numberInventory from '../../reports/number-inventory.ts'
import { readOrigin } from '../../src/apply/workbook/read-origin.ts'
import { readTables, type TableLine } from '../../src/apply/workbook/read-xlsx.ts'
import { type PublishedReport, publishReport } from '../../src/report/publish-report.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import * as fixture from './fixture.ts'
import { readWorkbook, type Workbook } from './workbook.ts'

interface Made {
  published: PublishedReport
  book: Workbook
  path: string
}

let database: TestDatabase
let warehouse: Warehouse
let directory: string
/** Inventories: policies not read yet, no policy found, two policies, and the two read once more. */
let unread: Made
let none: Made
let some: Made
let later: Made

beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 2 })
  directory = await mkdtemp(join(tmpdir(), 'callsheet-consents-'))
  const insert = (run: fixture.RunToInsert) => fixture.insertRun(warehouse, run)
  const users = await insert(fixture.usersRun('acme', '2026-11-19T01:00:00Z'))
  const numbers = await insert(fixture.numbersRun('acme', '2026-11-19T03:00:00Z'))
  await fixture.insertNumbers(warehouse, { account: 'acme', runIds: [users, numbers], count: 500 })
  unread = await publish()
  await insert(fixture.numbersRun('acme', '2026-11-19T05:00:00Z'))
  await insert(fixture.settingsRun('acme', '2026-11-19T05:30:00Z', []))
  none = await publish()
  await insert(fixture.numbersRun('acme', '2026-11-20T03:00:00Z'))
  const settings = await insert(fixture.settingsRun('acme', '2026-11-20T03:30:00Z', ['c1', 'c2']))
  await fixture.insertConsents(warehouse, { account: 'acme', runId: settings, count: 320 })
  some = await publish()
  await insert(fixture.settingsRun('acme', '2026-11-20T09:00:00Z', ['c1', 'c2']))
  later = await publish()
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
  await rm(directory, { recursive: true })
})

async function publish(): Promise<Made> {
  const report = { report: numberInventory, account: 'acme', params: {}, timeZone: 'UTC' }
  const into = await mkdtemp(join(directory, 'made-'))
  const published = await publishReport(
    { warehouse },
    { ...report, directory: into, formats: ['xlsx'] },
  )
  const path = published.files[0]?.path ?? ''
  return { published, path, book: await readWorkbook(path) }
}

const COLUMNS = ['Policy', 'Number', 'Policy ID', 'Number ID']

async function linesOf({ path }: Made, sheet: string, columns: string[]): Promise<TableLine[]> {
  const lines: TableLine[] = []
  for await (const line of readTables(path, [{ sheet, columns }])) lines.push(line)
  return lines
}

it('the inventory lists every number under a policy, in a form that apply can read back', async () => {
  const lines = await linesOf(some, 'SMS consents', COLUMNS)
  expect(lines).toHaveLength(320)
  expect(lines[0]).toEqual({
    table: 'SMS consents',
    sheet: 'SMS consents',
    row: 7,
    cells: {
      Policy: 'Offers',
      Number: '+14155550001',
      'Policy ID': 'c2',
      'Number ID': 'n000001',
    },
  })
  expect(some.published.covered).toBe(true)
})

it('the inventory reports policies that were never read, and is still complete', async () => {
  expect(unread.published.covered).toBe(true)
  expect(unread.book.notes('Provenance').join()).toMatch(/sms_consent_numbers,[^.]*: never read/)
  expect(unread.book.sheets).not.toContain('SMS consents')
  expect(unread.book.notes('SMS consents, not read').join()).toContain('were never read')
  expect(await linesOf(unread, 'SMS consents', COLUMNS)).toEqual([])
})

it('the inventory reports that no number is under a policy if none was found', async () => {
  expect(none.published.covered).toBe(true)
  const coverage = none.published.coverage.map(({ stream, whole }) => [stream, whole])
  expect(coverage).toContainEqual(['sms_consent_numbers', true])
  expect(none.book.notes('Provenance').join()).not.toMatch(
    /sms_consent_numbers|not read completely/,
  )
  expect(none.book.notes('SMS consents')[0]).toBe('No number is under an SMS consent policy.')
  expect(await linesOf(none, 'SMS consents', COLUMNS)).toEqual([])
})

it('the inventory of consents is compared with the previous inventory of numbers', () => {
  const compared = (made: Made) => made.book.notes('Changes').join()
  expect(compared(unread)).toContain('the first inventory')
  expect(compared(none)).toContain('as of 2026-11-19 03:00')
  expect(compared(some)).toContain('as of 2026-11-19 05:00')
  expect(compared(later)).toBe(compared(some))
})

it('the inventory can be read back: the columns that identify a number, and its origin', async () => {
  const lines = await linesOf(some, 'All numbers', ['Number', 'Product', 'Site', 'ID'])
  expect(lines).toHaveLength(500)
  expect(lines[0]?.cells).toMatchObject({
    Number: '+14155550001',
    Product: 'Phone',
    Site: 'Berlin',
    ID: 'n000001',
  })
  // The data time is that of the numbers, although a run of the settings ended later.
  expect(some.published.asOfMs).toBe(Date.UTC(2026, 10, 20, 3))
  expect(await readOrigin(some.path)).toEqual({
    report: 'number-inventory',
    account: 'acme',
    asOfMs: Date.UTC(2026, 10, 20, 3, 30),
  })
})
