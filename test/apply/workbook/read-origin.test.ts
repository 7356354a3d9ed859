import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOrigin } from '../../../src/apply/workbook/read-origin.ts'
import type { ReportDocument } from '../../../src/core/define/report.ts'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { exampleDocument } from '../../report/page/document.ts'
import { written } from '../../report/xlsx/books.ts'

const document: ReportDocument = {
  ...exampleDocument(),
  account: '=acme <& co>',
  asOfMs: Date.UTC(2026, 10, 20, 2, 3, 4, 567),
  sections: [
    ...exampleDocument().sections,
    {
      title: 'Provenance',
      provenance: true,
      blocks: [
        {
          kind: 'figures',
          title: 'About this report',
          figures: [{ label: 'Account', value: 'acme', format: 'text' }],
        },
      ],
    },
  ],
}
const { report, account, asOfMs } = document
const ORIGIN = { report, account, asOfMs }

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-origin-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function workbook(
  name: string,
  change?: (sheet: ExcelJS.Worksheet, book: ExcelJS.Workbook) => void,
): Promise<string> {
  const path = join(directory, `${name}.xlsx`)
  await renderXlsx(document, path)
  if (change === undefined) return path
  const book = await new ExcelJS.Workbook().xlsx.readFile(path)
  const provenance = book.getWorksheet('Provenance')
  if (provenance === undefined) throw new Error('There is no sheet Provenance')
  change(provenance, book)
  await book.xlsx.writeFile(path)
  return path
}

const lineOf = (sheet: ExcelJS.Worksheet, name: string): ExcelJS.Row => {
  let found: ExcelJS.Row | undefined
  sheet.eachRow((row) => {
    if (row.getCell(1).text === name) found = row
  })
  if (found === undefined) throw new Error(`There is no line ${name}`)
  return found
}

describe('the origin on the sheet Provenance', () => {
  it('is read from a workbook made by Callsheet', async () => {
    expect(await readOrigin(await workbook('made'))).toEqual(ORIGIN)
  })

  it('is read from a workbook that another program saved', async () => {
    expect(await readOrigin(await workbook('saved', () => undefined))).toEqual(ORIGIN)
  })

  it('is missing if the workbook has no such sheet', async () => {
    const path = await workbook('no-sheet', ({ id }, book) => book.removeWorksheet(id))
    expect(await readOrigin(path)).toBeUndefined()
  })

  it.each(['Callsheet report', 'Callsheet account', 'Callsheet as of'])(
    'is missing without %s',
    async (name) => {
      const path = await workbook('lost', (sheet) => {
        lineOf(sheet, name).getCell(2).value = null
      })
      expect(await readOrigin(path)).toBeUndefined()
    },
  )

  it('is missing if its time is unreadable', async () => {
    const path = await workbook('time', (sheet) => {
      lineOf(sheet, 'Callsheet as of').getCell(2).value = 'last Tuesday'
    })
    expect(await readOrigin(path)).toBeUndefined()
  })

  it('is missing in a workbook that another program made', async () => {
    const path = await written(directory, 'foreign', (sheet) => sheet.addRow(['Number']))
    expect(await readOrigin(path)).toBeUndefined()
  })
})
