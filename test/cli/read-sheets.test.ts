import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { desired } from '../../src/account/catalog.ts'
import { readSheets } from '../../src/apply/desired/read-sheets.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-sheets-'))
})
afterAll(() => rm(folder, { recursive: true }))

const CONSENTS = ['Policy', 'Number', 'Policy ID', 'Number ID']
const NUMBERS = ['Number', 'Product', 'Site', 'ID']

it.each([
  ['with edited numbers', { 'All numbers': [NUMBERS, ['+14155550100', 'UNALLOCATED', '', 'n-1']] }],
  ['with consents', { 'SMS consents': [CONSENTS, ['Sales', '+14155550100', 'p-1', 'n-1']] }],
  ['with other sheets', { Notes: [['something']] }],
])('a workbook %s is refused if it has no origin', async (_what, sheets) => {
  const book = new ExcelJS.Workbook()
  for (const [name, rows] of Object.entries(sheets)) book.addWorksheet(name).addRows([...rows])
  const file = join(folder, 'edited.xlsx')
  await book.xlsx.writeFile(file)
  // The workbook is refused before any query.
  const deps = { warehouse: undefined as never, deletionGuard: { share: 0.1, rows: 50 } }
  await expect(readSheets(deps, 'main', { file, desired })).rejects.toMatchObject({
    code: 'workbook_origin',
    facts: { todo: expect.stringContaining('create a new inventory') as string },
  })
})
