import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Section, Table } from '../../../src/core/define/report.ts'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { exampleDocument, row, table } from '../page/document.ts'
import { readZip } from './read-zip.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-pages-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function rendered(sections: readonly Section[]): Promise<ExcelJS.Workbook> {
  const path = join(directory, 'pages.xlsx')
  await renderXlsx({ ...exampleDocument(), sections }, path)
  const workbook = new ExcelJS.Workbook()
  return workbook.xlsx.readFile(path)
}

const rows = (count: number): Table['rows'] =>
  Array.from({ length: count }, (_none, at) => row(`n${at}`))
/** Rows as a database streams them. */
const streamed = (count: number): Table['rows'] => {
  const all = Array.from({ length: count }, (_none, at) => row(`n${at}`))
  return {
    async *stream() {
      yield await Promise.resolve(all)
    },
    first: (limit) => Promise.resolve(all.slice(0, limit)),
  }
}
const note = { kind: 'note', tone: 'good', text: 'All of it.' } as const
const cover = (blocks: Section['blocks']): Section => ({
  title: 'Cover',
  blocks: [note, ...blocks],
})

it('a workbook repeats the header of a table that continues on the next printed page', async () => {
  const workbook = await rendered([
    cover([table(rows(2), 'Source runs')]),
    { title: 'One', blocks: [table(rows(3), 'One')] },
    { title: 'Two', blocks: [note, table(rows(3), 'Short'), table(rows(90), 'Long')] },
  ])
  const repeated = workbook.worksheets.map(({ pageSetup }) => pageSetup.printTitlesRow)
  expect(repeated).toEqual([undefined, '4:4', '13:13'])
  const two = workbook.getWorksheet('Two')
  expect([12, 13, 14].map((at) => two?.getCell(at, 1).value)).toEqual(['Long', 'Number', 'n0'])
})

it.each([
  [3, 1],
  [90, 0],
])(
  'a workbook prints a cover with %i rows on %i pages (0 means any number), in portrait',
  async (count, pages) => {
    const workbook = await rendered([cover([table(rows(count), 'Missing data')])])
    expect(workbook.getWorksheet('Cover')?.pageSetup).toMatchObject({
      orientation: 'portrait',
      fitToWidth: 1,
      fitToHeight: pages,
    })
  },
)

it.each([
  [5, 'portrait'],
  [14, 'landscape'],
])(
  'a workbook prints a sheet with charts and %i columns on one page, in %s',
  async (count, orientation) => {
    const chart = {
      kind: 'chart',
      title: 'Shares',
      chart: {
        type: 'line',
        valueFormat: 'percent',
        categories: ['a'],
        series: [{ name: 'one', values: [0.5] }],
      },
    } as const
    const columns = Array.from({ length: count }, (_none, at) => ({
      name: `c${at}`,
      title: 'Some title',
      format: 'text' as const,
    }))
    const wide: Table = {
      kind: 'table',
      title: 'Wide',
      columns,
      rows: [columns.map(() => 'twenty characters ab')],
    }
    const workbook = await rendered([cover([]), { title: 'Wide', blocks: [chart, wide] }])
    expect(workbook.getWorksheet('Wide')?.pageSetup).toMatchObject({ orientation, fitToHeight: 1 })
  },
)

it('a workbook aligns words in a column of numbers to the right, like the numbers', async () => {
  const list: Table = {
    kind: 'table',
    title: 'List',
    columns: [
      { name: 'day', title: 'Day', format: 'text' },
      { name: 'share', title: 'Share', format: 'percent' },
    ],
    rows: [
      ['Mon', 0.5],
      ['Tue', 'too few'],
    ],
  }
  const workbook = await rendered([cover([]), { title: 'List', blocks: [list] }])
  const sides: unknown[] = []
  workbook.getWorksheet('List')?.eachRow((line, at) => {
    if (at > 4) sides.push([1, 2].map((column) => line.getCell(column).alignment.horizontal))
  })
  expect(sides).toEqual([
    ['left', 'right'],
    ['left', 'right'],
  ])
})

it.each([
  [396, 'all of it', 'A1:F400', undefined],
  [397, 'its first 80 rows', 'A1:F80', 'First 80 rows. To print all: Ignore Print Area'],
])('of a list with %i rows, a workbook prints %s', async (count, _part, area, footer) => {
  const list = { title: 'List', blocks: [table(rows(count), 'List')] }
  const workbook = await rendered([cover([]), list])
  const sheet = workbook.getWorksheet('List')
  expect(sheet?.pageSetup.printArea).toBe(area)
  const [, second] = /\n(.*)&R/.exec(sheet?.headerFooter.oddFooter ?? '') ?? []
  expect(second).toBe(footer)
})

it('a workbook begins a page with a table that would be split, its notes and its heading', async () => {
  const path = join(directory, 'breaks.xlsx')
  const tables = ['First', 'Second', 'Third'].map((title) => table(rows(40), title))
  const blocks = tables.flatMap((block) => [note, block])
  await renderXlsx({ ...exampleDocument(), sections: [cover([]), { title: 'All', blocks }] }, path)
  const sheet = readZip(await readFile(path)).get('xl/worksheets/sheet2.xml') ?? ''
  const breaks = [...sheet.matchAll(/<brk id="(\d+)" max="16383" man="1"\/>/g)]
  // Three lines at the top; a note, a blank row, a heading, a header, 40 rows and a blank row each.
  expect(breaks.map(([, after]) => Number(after))).toEqual([48, 93])
  expect(sheet).toContain('<rowBreaks count="2" manualBreakCount="2">')
})

it('a workbook prints the whole link beside a note, although it is longer than its cell', async () => {
  const title = 'A list with a long name'
  const linked = { kind: 'note', tone: 'plain', text: 'Late.', link: title } as const
  const workbook = await rendered([cover([linked]), { title, blocks: [table(rows(2), title)] }])
  const sheet = workbook.worksheets[0]
  const area = /^A1:([A-Z])\d+$/.exec(sheet?.pageSetup.printArea ?? '')?.[1] ?? ''
  const link = sheet?.getRow(5).values as unknown[]
  const from = link.findIndex((value) => JSON.stringify(value ?? '').includes('→'))
  let room = 0
  for (let at = from; at <= area.charCodeAt(0) - 64; at++) room += sheet?.getColumn(at).width ?? 0
  expect(room).toBeGreaterThanOrEqual(`→ ${title}`.length)
})

it('a workbook gives the data of a chart room for the names of its series', async () => {
  const series = [{ name: 'Participant-minutes', values: [1] }]
  const chart = { type: 'bar', valueFormat: 'integer', categories: ['one'], series } as const
  const workbook = await rendered([cover([{ kind: 'chart', title: 'Bad', chart }])])
  // Bold letters, and the padding of the cell.
  const room = '  Participant-minutes  '.length
  expect(workbook.getWorksheet('Chart data')?.getColumn(2).width).toBeGreaterThanOrEqual(room)
})

it('a workbook limits the footer to the 255 characters that Excel allows', async () => {
  const path = join(directory, 'footer.xlsx')
  const sections = [cover([]), { title: 'List', blocks: [table(rows(500), 'List')] }]
  await renderXlsx({ ...exampleDocument(), title: '&'.repeat(300), sections }, path)
  const workbook = await new ExcelJS.Workbook().xlsx.readFile(path)
  for (const { headerFooter } of workbook.worksheets)
    expect(headerFooter.oddFooter?.length).toBeLessThanOrEqual(255)
})

it('a workbook’s contents say how much each sheet has, and what it shows', async () => {
  const workbook = await rendered([
    cover([]),
    { title: 'Unassigned', about: '12 numbers that nobody uses', blocks: [table(rows(1), 'List')] },
    { title: 'Pending', blocks: [table(rows(1), 'List')] },
    { title: 'By day', about: 'the audio of each day', blocks: [table(rows(31), 'Days')] },
    { title: 'Long', about: 'all of them', blocks: [table(streamed(1001), 'All')] },
    { title: 'Short', blocks: [table(streamed(1000), 'All')] },
    {
      title: 'Two',
      about: 'by hour and day',
      blocks: [table(rows(2), 'Hours'), table(rows(3), 'Days')],
    },
  ])
  const lines: unknown[] = []
  workbook.getWorksheet('Cover')?.eachRow((line) => lines.push((line.values as unknown[]).slice(1)))
  const from = lines.findIndex((line) => (line as unknown[])[0] === 'Contents')
  expect(lines.slice(from + 1)).toEqual([
    ['Unassigned', '12 numbers that nobody uses'],
    ['Pending', '1 row'],
    ['By day', '31 rows: the audio of each day'],
    ['Long', 'more than 1,000 rows: all of them'],
    ['Short', '1,000 rows'],
    ['Two', '2 tables: by hour and day'],
  ])
})

it('a workbook links a note to the sheet with its details, if there is one', async () => {
  const path = join(directory, 'links.xlsx')
  const late = (link: string) => ({ ...note, text: 'Some are late.', link })
  const list = { title: 'Rows', blocks: [table(rows(1), 'Rows')] }
  const sections = [{ title: 'Cover', blocks: [late('Rows'), late('Gone')] }, list]
  await renderXlsx({ ...exampleDocument(), sections }, path)
  const parts = readZip(await readFile(path))
  const sheet = parts.get('xl/worksheets/sheet1.xml') ?? ''
  const links = [...sheet.matchAll(/<hyperlink ref="([A-Z]+)(\d+)" location="'Rows'!A1"/g)]
  // The first beside its note, the second in the contents.
  expect(links.map(([, , line]) => line)).toEqual(['4', '8'])
  expect(links[0]?.[1]).not.toBe('A')
  const texts = parts.get('xl/sharedStrings.xml') ?? ''
  expect(texts).toContain('>→ Rows<')
  expect(texts).not.toContain('→ Gone')
})
