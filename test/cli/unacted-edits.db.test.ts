import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import numberSettings from '../../jobs/number-settings.ts'
import phoneNumbers from '../../jobs/phone-numbers.ts'
import users from '../../jobs/users.ts'
import numberInventory from '../../reports/number-inventory.ts'
import { desired, reports } from '../../src/account/catalog.ts'
import { readSheets } from '../../src/apply/desired/read-sheets.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
let folder: string
let made: string

/** Makes an inventory, changes much in a night, and makes another inventory. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-unacted-'))
  world = await openWorld({ sizes: { ...TINY, numbers: 60 } })
  const night = async (): Promise<string> => {
    await world.sync({ jobs: [users, phoneNumbers, numberSettings], full: true })
    const report = { report: numberInventory, params: { timezone: 'Asia/Tokyo' } } as const
    const to = {
      account: 'account-0',
      timeZone: 'UTC',
      directory: folder,
      formats: ['xlsx'],
    } as const
    const { files } = await publishReport(world, { ...report, ...to })
    return files[0]?.path ?? ''
  }
  await night()
  await world.advance(86_400_000)
  made = await night()
  await world.advance(86_400_000)
  await world.mutate({ share: 0.3 })
  await night()
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

type Book = ExcelJS.Workbook

/** Reads the workbook after a person's change; returns its edits and wishes. */
async function told(change: (book: Book) => void) {
  const book = new ExcelJS.Workbook()
  await book.xlsx.readFile(made)
  change(book)
  const file = join(folder, 'edited.xlsx')
  await book.xlsx.writeFile(file)
  const { deps } = world.account
  const { unacted, wanted } = await readSheets(deps, 'account-0', {
    file,
    timeZone: 'UTC',
    reports,
    desired,
  })
  if (unacted === undefined || 'why' in unacted) throw new Error(JSON.stringify(unacted))
  return { edits: unacted.edits, wanted: wanted.flatMap(({ entries }) => entries) }
}

function sheet(book: Book, name: string): ExcelJS.Worksheet {
  const found = book.getWorksheet(name)
  if (found === undefined) throw new Error(`There is no sheet ${name}`)
  return found
}

/** The row with the headings, after title, subtitle, links, a note and an empty row. */
const HEADER = 6
function column(on: ExcelJS.Worksheet, title: string): number {
  const values = on.getRow(HEADER).values as unknown[]
  return values.indexOf(title)
}

it('an unedited workbook has no unapplied edits, even if the account has changed since', async () => {
  expect(await told(() => undefined)).toEqual({ edits: [], wanted: [] })
})

it('a workbook that was only sorted and formatted has no unapplied edits', async () => {
  const { edits, wanted } = await told((book) => {
    const list = sheet(book, 'All numbers')
    const lines = Array.from({ length: list.rowCount - HEADER }, (_, at) =>
      [...(list.getRow(HEADER + 1 + at).values as ExcelJS.CellValue[])].slice(1),
    )
    for (const [at, values] of lines.toReversed().entries())
      list.getRow(HEADER + 1 + at).values = values
    list.getColumn(2).font = { bold: true }
    list.getColumn(3).hidden = true
  })
  expect({ edits, wanted }).toEqual({ edits: [], wanted: [] })
})

it('edits of a workbook that are not applied are reported with sheet, column and rows', async () => {
  const { edits, wanted } = await told((book) => {
    const list = sheet(book, 'All numbers')
    const set = (row: number, title: string, value: string): void =>
      void (list.getCell(row, column(list, title)).value = value)
    for (const row of [8, 10]) set(row, 'Name', 'edited')
    set(9, 'Assigned to', 'Somebody Else')
    set(11, 'First seen', '2020-01-01 00:00')
    set(11, 'Number', '+15555550100')
    set(12, 'Emergency address', '')
    set(
      13,
      'Product',
      list.getCell(13, column(list, 'Product')).text === 'Phone' ? 'Unallocated' : 'Phone',
    )
    list.getCell(HEADER, 30).value = 'My notes'
    list.getCell(14, 30).value = 'call them'
    list.spliceRows(20, 2)
    const consents = sheet(book, 'SMS consents')
    consents.getCell(HEADER + 1, column(consents, 'Policy')).value = 'Another name'
    const summary = book.worksheets[1] as ExcelJS.Worksheet
    summary.getCell('A1').value = 'My title'
    book.addWorksheet('Mine').getCell('A1').value = 'x'
  })
  const summary = (await firstNames())[1]
  expect(edits.map(({ rows: _rows, ...edit }) => edit)).toEqual(
    expect.arrayContaining([
      { sheet: 'All numbers', column: 'Name', what: 'edited', count: 2 },
      { sheet: 'All numbers', column: 'Assigned to', what: 'edited', count: 1 },
      { sheet: 'All numbers', column: 'First seen', what: 'edited', count: 1 },
      { sheet: 'All numbers', column: 'Number', what: 'edited', count: 1 },
      { sheet: 'All numbers', column: 'My notes', what: 'column added', count: 1 },
      { sheet: 'All numbers', what: 'lines gone', count: 2 },
      { sheet: 'SMS consents', column: 'Policy', what: 'edited', count: 1 },
      { sheet: summary, what: 'edited', count: 1 },
      { sheet: 'Mine', what: 'sheet added', count: 1 },
    ]),
  )
  expect(edits.find(({ column: title }) => title === 'Name')?.rows).toEqual([8, 10])
  // An edit that is applied is returned as a wish instead.
  expect(edits.map(({ column: title }) => title)).not.toContain('Product')
  expect(wanted).toHaveLength(1)
})

async function firstNames(): Promise<string[]> {
  const book = new ExcelJS.Workbook()
  await book.xlsx.readFile(made)
  return book.worksheets.map(({ name }) => name)
}
