import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { AWKWARD, exampleDocument, row, table } from '../../report/page/document.ts'
import { linesOf, rewritten, wanted, written } from '../../report/xlsx/books.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-read-xlsx-'))
})
afterAll(() => rm(directory, { recursive: true }))

describe('a workbook made by Callsheet', () => {
  it('returns every text unchanged, and days and durations as numbers', async () => {
    const path = join(directory, 'own.xlsx')
    await renderXlsx(exampleDocument(), path)
    const lines = await linesOf(path, wanted('List', 'Number', 'Day'), wanted('Detail', 'Number'))
    expect(lines.map(({ sheet }) => sheet)).toEqual(
      ['List', 'Detail'].flatMap((name) => AWKWARD.map(() => name)),
    )
    expect(lines.map(({ cells }) => cells.Number)).toEqual([...AWKWARD, ...AWKWARD])
    expect(lines[0]).toEqual({
      table: 'List',
      sheet: 'List',
      row: 5,
      cells: {
        Number: AWKWARD[0],
        Day: '46326',
        Share: '0.25',
        Quality: 'bad',
        Change: '-10',
        Duration: expect.stringMatching(/^0\.0423/u),
      },
    })
  })

  it('is read across all sheets of a table that continues', async () => {
    const path = join(directory, 'split.xlsx')
    const rows = Array.from({ length: 25 }, (_none, index) => row(`n${index}`))
    const document = exampleDocument()
    const sections = [...document.sections.slice(0, 2), { title: 'List', blocks: [table(rows)] }]
    await renderXlsx({ ...document, sections }, path, { maxRows: 14 })
    const lines = await linesOf(path, wanted('List', 'Number'))
    expect(lines.map(({ cells }) => cells.Number)).toEqual(rows.map(([name]) => name))
    expect(new Set(lines.map(({ sheet }) => sheet))).toEqual(
      new Set(['List', 'List (2)', 'List (3)']),
    )
    expect(lines.at(-1)).toMatchObject({ table: 'List', sheet: 'List (3)' })
  })
})

describe('a workbook written by another program', () => {
  it('has the text of every kind of cell', async () => {
    const path = await written(directory, 'odd', (sheet) => {
      sheet.addRow(['A title'])
      sheet.addRow([])
      sheet.addRow(['', 'What', ' Held\n as '])
      for (const [what, value] of Object.entries(ODD)) sheet.addRow([null, what, value[0]])
      sheet.getCell(`C${rowOf('words in a format')}`).numFmt = '0 "days"'
    })
    const lines = await linesOf(path, wanted('Table', 'Held as', 'What'))
    const read = lines.map(({ cells }) => [cells.What, cells['Held as']])
    expect(read).toEqual(Object.entries(ODD).map(([what, value]) => [what, value[1]]))
    expect(lines[0]?.row).toBe(4)
  })

  it('may omit rows, and have rows without text under a title', async () => {
    const path = await written(directory, 'gaps', (sheet) => {
      sheet.addRow(['Number', 'Site'])
      sheet.getCell('A5').value = '+14155550100'
      sheet.getCell('A7').value = '  '
      sheet.getCell('D8').value = 'a note beside'
      sheet.getCell('B9').value = 'Berlin'
    })
    const lines = await linesOf(path, wanted('Table', 'Number'))
    expect(lines.map((line) => [line.row, line.cells])).toEqual([
      [5, { Number: '+14155550100', Site: '' }],
      [9, { Number: '', Site: 'Berlin' }],
    ])
  })

  it('may omit cell addresses, use XML prefixes and split its texts', async () => {
    const path = await rewritten(directory, 'bare', {
      'xl/worksheets/sheet1.xml': `<x:worksheet xmlns:x="urn:x"><x:sheetData>
        <x:row><x:c t="inlineStr"><x:is><x:r><x:t>Num</x:t></x:r><x:r><x:t>ber</x:t></x:r></x:is></x:c>
          <x:c t="str"><x:v>Site</x:v></x:c></x:row>
        <x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="b"><x:v>1</x:v></x:c></x:row>
        <x:row r="9"><x:c r="B9" t="e"><x:v>#REF!</x:v></x:c></x:row>
        <x:row><x:c t="s"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
      'xl/sharedStrings.xml': `<sst><si><r><t>+1415</t></r><r><t xml:space="preserve">555 </t></r>
        <rPh sb="0" eb="1"><t>spoken</t></rPh></si><si><t>a_x000D_&amp;_x005F_x0041_</t></si></sst>`,
    })
    const lines = await linesOf(path, wanted('Table', 'Number', 'Site'))
    expect(lines.map((line) => [line.row, line.cells])).toEqual([
      [2, { Number: '+1415555 ', Site: 'TRUE' }],
      [9, { Number: '', Site: '#REF!' }],
      [10, { Number: 'a\r&_x0041_', Site: '' }],
    ])
  })

  it('may lack the sheet, or have its name in another letter case', async () => {
    const path = await written(directory, 'case', (sheet) => {
      sheet.addRow(['Number'])
      sheet.addRow(['one'])
    })
    expect(await linesOf(path, wanted('Elsewhere', 'Number'))).toEqual([])
    expect(await linesOf(path, wanted('TABLE', 'Number'))).toHaveLength(1)
  })
})

/** Values of cells, and the texts read from them. */
const ODD: Readonly<Record<string, readonly [ExcelJS.CellValue, string]>> = {
  text: ['+1 415 555 0100', '+1 415 555 0100'],
  'a phone number as a number': [14155550100, '14155550100'],
  'more digits than are kept': [1.2345678901234568e22, '12345678901234600000000'],
  'a number with an exponent': [1.41555501e10 + 0.5, '14155550100.5'],
  'a small number': [0.00000012, '0.00000012'],
  'a sum of fractions': [0.1 + 0.2, '0.3'],
  'rich text': [
    { richText: [{ text: 'San ' }, { text: 'José', font: { bold: true } }] },
    'San José',
  ],
  link: [{ text: 'a link', hyperlink: 'https://example.com' }, 'a link'],
  yes: [true, 'TRUE'],
  'a formula of text': [{ formula: 'B1', result: 'found' }, 'found'],
  'a formula of a number': [{ formula: '1+1', result: 2 }, '2'],
  error: [{ error: '#N/A' }, '#N/A'],
  'nothing at all': [null, ''],
  date: [new Date('2026-10-31T00:00:00Z'), '46326'],
  'words in a format': [3, '3'],
  lines: ['two\nlines', 'two\nlines'],
  spaces: [' kept ', ' kept '],
}

function rowOf(what: string): number {
  return Object.keys(ODD).indexOf(what) + 4
}
