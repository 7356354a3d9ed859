import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ReportDocument, Table } from '../../../src/core/define/report.ts'
import { renderCsv } from '../../../src/report/files/csv.ts'
import { documentTables } from '../../../src/report/files/document-tables.ts'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { exampleDocument, htmlPage, streamed } from '../page/document.ts'

const ROWS = [
  ['SVC_CONTACT_CENTER', 5, 'Normal'],
  ['UNALLOCATED', 3, 'Normal'],
  ['(none)', 1, null],
] as const

const byProduct = (rows: Table['rows'], title = 'By product'): Table => ({
  kind: 'table',
  title,
  columns: [
    { name: 'product', title: 'Product', format: 'text', coded: 'service' },
    { name: 'numbers', title: 'Numbers', format: 'integer' },
    { name: 'status', title: 'Status', format: 'text', coded: 'service' },
    { name: 'site', title: 'Site', format: 'text' },
  ],
  rows,
})

const rows = ROWS.map((row) => [...row, 'Site_A'])
const document: ReportDocument = {
  ...exampleDocument(),
  sections: [
    {
      title: 'Breakdown',
      blocks: [
        {
          kind: 'chart',
          title: 'Numbers by product',
          chart: {
            type: 'bar',
            valueFormat: 'integer',
            categories: ['SVC_CONTACT_CENTER', 'UNALLOCATED'],
            coded: 'service',
            series: [{ name: 'Numbers', values: [5, 3] }],
          },
        },
        byProduct(rows),
      ],
    },
    { title: 'Streamed', blocks: [byProduct(streamed(rows), 'Streamed')] },
  ],
}

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-words-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function sheetLines(name: string): Promise<unknown[][]> {
  const path = join(directory, 'a.xlsx')
  await renderXlsx(document, path)
  const workbook = await new ExcelJS.Workbook().xlsx.readFile(path)
  const lines: unknown[][] = []
  workbook.getWorksheet(name)?.eachRow(({ values }) => {
    lines.push((values as unknown[]).slice(1))
  })
  return lines
}

it('a workbook shows words, and codes that differ from them in an additional last column', async () => {
  const lines = await sheetLines('Breakdown')
  expect(lines).toContainEqual(['Product', 'Numbers', 'Status', 'Site', 'Code'])
  expect(lines).toContainEqual(['Contact center', 5, 'Normal', 'Site_A', 'SVC_CONTACT_CENTER'])
  expect(lines).toContainEqual(['Unallocated', 3, 'Normal', 'Site_A', 'UNALLOCATED'])
  expect(lines).toContainEqual(['(none)', 1, undefined, 'Site_A', '(none)'])
  const chart = await sheetLines('Chart data')
  expect(chart).toContainEqual(['Contact center', 5])
})

it('a workbook shows the codes of every column with words if its rows are streamed', async () => {
  const lines = await sheetLines('Streamed')
  const header = ['Product', 'Numbers', 'Status', 'Site', 'Product code', 'Status code']
  const line = ['Contact center', 5, 'Normal', 'Site_A', 'SVC_CONTACT_CENTER', 'Normal']
  expect(lines).toEqual(expect.arrayContaining([header, line]))
})

it('a table with three columns of codes has them in one last column, if they differ', async () => {
  const columns = [
    ...byProduct([]).columns,
    { name: 'country', title: 'Country', format: 'text', coded: 'country' } as const,
  ]
  const table = { ...byProduct(streamed([]), 'Long'), columns }
  const [product, ...others] = table.columns
  const editable = { allowed: ['UNALLOCATED', 'SVC_PHONE'] }
  const blocks = [
    {
      ...table,
      columns: [{ ...product!, editable }, ...others],
      rows: streamed([
        ['SVC_PHONE', 5, 'Normal', 'Site_A', 'DE'],
        ['Phone', 1, null, null, null],
      ]),
    },
  ]
  const path = join(directory, 'long.xlsx')
  await renderXlsx({ ...document, sections: [{ title: 'Long', blocks }] }, path)
  const sheet = (await new ExcelJS.Workbook().xlsx.readFile(path)).getWorksheet('Long')
  const lines = (sheet?.getSheetValues() ?? []).filter(Array.isArray) as unknown[][]
  const cells = lines.map((line) => line.slice(1))
  expect(cells).toContainEqual(['Product', 'Numbers', 'Status', 'Site', 'Country', 'Codes'])
  expect(cells).toContainEqual(['Phone', 5, 'Normal', 'Site_A', 'Germany', 'SVC_PHONE; DE'])
  expect(cells).toContainEqual(['Phone', 1])
  // The values that an editable cell offers are words too.
  const rules = (sheet as unknown as { dataValidations: { model: object } }).dataValidations.model
  expect(JSON.stringify(rules)).toContain('Unallocated,Phone')
})

it('a page shows words and codes in its tables, and words in its charts', async () => {
  const page = await htmlPage(document)
  expect(page).toContain('["Contact center",5,"Normal","Site_A","SVC_CONTACT_CENTER"]')
  expect(page).toContain('<title>Contact center, Numbers: 5</title>')
  expect(page).not.toContain('<title>SVC_CONTACT_CENTER')
})

it('CSV files contain only the codes', async () => {
  const texts: string[] = []
  for (const { part, table } of documentTables(document)) {
    const path = join(directory, `${part}.csv`)
    await renderCsv(table, path)
    texts.push(await readFile(path, 'utf8'))
  }
  const text = texts.join('')
  expect(text).toContain('product,numbers,status,site\r\n')
  expect(text).toContain('SVC_CONTACT_CENTER,5,Normal,Site_A\r\n')
  expect(text).toContain('SVC_CONTACT_CENTER,5\r\n')
  expect(text).not.toContain('Contact center')
})
