import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Section, Table, TableColumn } from '../../../src/core/define/report.ts'
import { tableName } from '../../../src/report/xlsx/table-xml.ts'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { exampleDocument, row, table } from '../page/document.ts'
import { readZip } from './read-zip.ts'
import { tableFaults, tablesOf } from './table-parts.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-tables-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function render(sections?: readonly Section[], options = {}): Promise<Map<string, string>> {
  const path = join(directory, 'a.xlsx')
  const document = exampleDocument()
  await renderXlsx({ ...document, sections: sections ?? document.sections }, path, options)
  return readZip(await readFile(path))
}

const FIRST: Section = {
  title: 'First',
  blocks: [{ kind: 'note', tone: 'good', text: 'All of it.' }],
}
const rows = (count: number): Table['rows'] =>
  Array.from({ length: count }, (_none, at) => row(`n${at}`))
const textColumns = (...titles: string[]): TableColumn[] =>
  titles.map((title, at) => ({ name: `c${at}`, title, format: 'text' }))
const sheetOf = (parts: Map<string, string>, number: number): string =>
  parts.get(`xl/worksheets/sheet${number}.xml`) ?? ''
const namesOf = (parts: Map<string, string>): string[] =>
  [...(parts.get('xl/workbook.xml') ?? '').matchAll(/<sheet [^>]*name="([^"]*)"/g)].map(
    ([, name = '']) => name,
  )

describe('every table with rows', () => {
  it('needs no repair in Excel, and neither do the tables of the charts', async () => {
    const parts = await render()
    expect(tableFaults(parts)).toEqual([])
    expect(tablesOf(parts).map(({ name, ref }) => [name, ref])).toEqual([
      ['List', 'A4:F24'],
      ['Detail', 'A4:F24'],
      ['Chart_data_Stack', 'A5:C8'],
      ['Chart_data_Whole', 'A11:C14'],
      ['Chart_data_Line', 'A17:C20'],
      ['Chart_data_Bar', 'A23:C26'],
    ])
  })

  it('has unique, non-empty column titles of one line, which its header shows', async () => {
    const columns = textColumns('Name', 'name', ' ', 'two\nlines', 'a & <b>', '_x0041_', '=1+1')
    const odd: Table = { kind: 'table', title: 'Odd', columns, rows: [columns.map(() => 'x')] }
    const parts = await render([FIRST, { title: 'Odd', blocks: [odd] }])
    expect(tableFaults(parts)).toEqual([])
    const [found] = tablesOf(parts)
    expect(found?.titles.slice(0, 4)).toEqual(['Name', 'name (2)', 'Column 3', 'two lines'])
  })

  it('becomes a separate Excel table on each sheet that it continues on', async () => {
    const long: Section = { title: 'Long', blocks: [table(rows(25), 'Long')] }
    const parts = await render([FIRST, long], { maxRows: 14 })
    expect(tableFaults(parts)).toEqual([])
    const made = tablesOf(parts).map(({ name, ref }) => [name, ref])
    expect(made).toEqual([
      ['Long', 'A4:F14'],
      ['Long_2', 'A4:F14'],
      ['Long_3', 'A4:F9'],
    ])
  })

  it.each([
    ['Audio by day', 'Audio by day', 'Audio_by_day'],
    ['Breakdown', 'By site', 'Breakdown_By_site'],
    ['Chart data', 'Audio by day, 2026-06 (sessions)', 'Chart_data_Audio_by_day'],
    ['Q1', 'Q1', 'T_Q1'],
    ['R1C1', 'R1C1', 'T_R1C1'],
    ['2026', '2026', 'T_2026'],
    ['漢字', '漢字', 'Table'],
    ['Émigrés', 'Émigrés', 'Emigres'],
  ])('of the section %s with the title %s has a name that Excel allows', (section, title, name) => {
    expect(tableName(section, title)).toBe(name)
  })
})

it('a table without rows does not become an Excel table', async () => {
  const parts = await render([FIRST, { title: 'None', blocks: [table([], 'None')] }])
  expect(tablesOf(parts)).toEqual([])
  expect(sheetOf(parts, 2)).not.toContain('tablePart')
})

it('a long table has its own sheet, and short ones share a sheet', async () => {
  const blocks = [table(rows(3), 'By site'), table(rows(101), 'Each'), table(rows(2), 'By type')]
  const parts = await render([FIRST, { title: 'Stock', blocks }])
  expect(namesOf(parts)).toEqual(['First', 'Stock', 'Stock, each'])
  expect(tablesOf(parts).map(({ name, sheet }) => `${name} ${sheet.at(-5)}`)).toEqual([
    'Stock_By_site 2',
    'Stock_By_type 2',
    'Stock_Each 3',
  ])
  expect(sheetOf(parts, 3)).toContain('xSplit="1" ySplit="4"')
  // A name with a number would look like the continuation of a table.
  const named = [table(rows(3), 'By site'), table(rows(101), 'Stock')]
  const both = await render([FIRST, { title: 'Stock', blocks: named }])
  expect(namesOf(both)).toEqual(['First', 'Stock', 'Stock, list'])
  const alone = await render([FIRST, { title: 'Stock', blocks: [table(rows(101), 'Stock')] }])
  expect(namesOf(alone)).toEqual(['First', 'Stock'])
})

it('the first of only long tables stays on its section’s sheet, which would be empty otherwise', async () => {
  const blocks = [table(rows(101), 'Stock'), table(rows(102), 'Each')]
  const parts = await render([FIRST, { title: 'Stock', blocks }])
  expect(namesOf(parts)).toEqual(['First', 'Stock', 'Stock, each'])
  expect(tablesOf(parts).map(({ sheet }) => sheet.at(-5))).toEqual(['2', '3'])
})

describe('the links and sheets of a workbook', () => {
  it('lead from the first sheet to every other one, and back', async () => {
    const parts = await render()
    const names = namesOf(parts)
    const links = (number: number) =>
      [
        ...sheetOf(parts, number).matchAll(/<hyperlink ref="[^"]*" location="'([^"]*)'!A(\d+)"/g),
      ].map(([, name]) => name)
    expect(links(1)).toEqual([names[0], ...names.slice(1)])
    for (let number = 2; number <= names.length; number++) expect(links(number)).toEqual([names[0]])
    expect(names).toHaveLength(6)
  })

  it('show the full title of a sheet whose name is shortened', async () => {
    const title = 'Sessions that nobody has recorded, by session key'
    const parts = await render([FIRST, { title, blocks: [table(rows(1), 'Rows')] }])
    const [, name = ''] = namesOf(parts)
    expect(title.startsWith(name)).toBe(true)
    expect(name.length).toBeLessThanOrEqual(31)
    const first = sheetOf(parts, 1)
    const [, cell] = new RegExp(`ref="([A-Z]+\\d+)" location="'${name}'!A1"`).exec(first) ?? []
    const [, text] = new RegExp(`<c r="${cell}" [^>]*><v>(\\d+)<`).exec(first) ?? []
    const texts = parts.get('xl/sharedStrings.xml')?.match(/<si>.*?<\/si>/gs) ?? []
    expect(texts[Number(text)]).toContain(`>${title}<`)
  })

  it('include the sheet of chart data before the provenance, which is the last sheet', async () => {
    const { sections } = exampleDocument()
    const last: Section = {
      title: 'Provenance',
      provenance: true,
      blocks: [table(rows(1), 'Runs')],
    }
    const parts = await render([...sections, last])
    expect(namesOf(parts).slice(-2)).toEqual(['Chart data', 'Provenance'])
    expect(tableFaults(parts)).toEqual([])
  })

  it('print only filled cells, and only as many columns as are readable on one page', async () => {
    const wide = textColumns(...Array.from({ length: 30 }, (_none, at) => `Column number ${at}`))
    const cells = wide.map(() => 'some words of it')
    const list: Table = { kind: 'table', title: 'Wide', columns: wide, rows: [cells] }
    const parts = await render([FIRST, { title: 'Wide', blocks: [list] }])
    const book = (parts.get('xl/workbook.xml') ?? '').replaceAll('&apos;', "'")
    expect(book).toContain(`localSheetId="0">'First'!$A$1:$`)
    // 30 columns are 4,012 pixels wide; a page has 1,045 at a scale of 0.65.
    expect(book).toContain(`localSheetId="1">'Wide'!$A$1:$J$5<`)
    expect(book).toContain(`localSheetId="1">'Wide'!$4:$4<`)
    const sheet = sheetOf(parts, 2)
    expect(sheet).toMatch(/fitToHeight="1"/)
    const some = 'Column number 10, Column number 11, Column number 12 and 17 more'
    expect(sheet).toContain(`Columns not printed: ${some}. To print all: Ignore Print Area`)
  })

  it('include no straight apostrophe in a sheet name, because of the print area', async () => {
    const parts = await render([FIRST, { title: "people's", blocks: [table(rows(1), 'x')] }])
    expect(namesOf(parts)).toEqual(['First', 'people’s'])
  })
})
