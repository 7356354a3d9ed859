import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { desired, reports } from '../../src/account/catalog.ts'
import { readSheets } from '../../src/apply/desired/read-sheets.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-sheets-'))
})
afterAll(() => rm(folder, { recursive: true }))

const CONSENTS = ['Policy', 'Number', 'Policy ID', 'Number ID']
const NUMBERS = ['Number', 'Product', 'Site', 'ID']

/** A workbook without custom properties, as some programs save it. */
async function read(sheets: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const book = new ExcelJS.Workbook()
  for (const [name, rows] of Object.entries(sheets)) book.addWorksheet(name).addRows([...rows])
  const file = join(folder, 'edited.xlsx')
  await book.xlsx.writeFile(file)
  // A workbook without its properties needs no query.
  const deps = { warehouse: undefined as never, deletionGuard: { share: 0.1, rows: 50 } }
  return await readSheets(deps, 'main', { file, timeZone: 'UTC', reports, desired })
}

const line = ['Sales', '+14155550100', 'p-1', 'n-1']

describe('a workbook that lost its properties', () => {
  it.each([
    ['if some consents are left', [CONSENTS, line]],
    ['if no consents are left', [CONSENTS]],
  ])('causes a warning that deleted lines cannot be recognized, %s', async (_what, consents) => {
    const { remark, unacted } = await read({
      'All numbers': [NUMBERS, ['+14155550100', 'UNALLOCATED', 'Berlin', 'n-1']],
      'SMS consents': consents,
    })
    expect(remark).toContain('does not say which inventory it was')
    expect(remark).toMatch(/deleted from the sheet "SMS consents" cannot be recognized/)
    expect(remark).toMatch(/nothing is removed/)
    expect(remark).toContain('callsheet report number-inventory')
    expect(unacted).toMatchObject({ why: expect.stringContaining('which inventory it was') })
  })

  it('causes a warning without deletions if it has no sheet whose deleted lines would count', async () => {
    const { remark } = await read({
      'All numbers': [NUMBERS, ['+14155550100', 'UNALLOCATED', 'Berlin', 'n-1']],
    })
    expect(remark).toContain('does not say which inventory it was')
    expect(remark).not.toContain('deleted')
  })
})
