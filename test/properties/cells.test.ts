import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Cell, ReportDocument, Table } from '../../src/core/define/report.ts'
import { csvCell, renderCsv } from '../../src/report/files/csv.ts'
import { renderXlsx } from '../../src/report/xlsx/xlsx.ts'
import { parseCsv, withoutGuards } from '../report/files/parse-csv.ts'
import { readZip } from '../report/xlsx/read-zip.ts'
import { anyText, holds } from './holds.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-cells-'))
})
afterAll(() => rm(directory, { recursive: true }))

const numbers = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const rows = fc.array(fc.tuple(anyText(), numbers, fc.boolean()), { minLength: 50, maxLength: 50 })

function tableOf(cells: readonly (readonly Cell[])[]): Table {
  return {
    kind: 'table',
    title: 'List',
    columns: [
      { name: 'text', title: 'Text', format: 'text' },
      { name: 'number', title: 'Number', format: 'decimal' },
      { name: 'flag', title: 'Flag', format: 'boolean' },
    ],
    rows: cells,
  }
}

function documentOf(table: Table): ReportDocument {
  const cover = { title: 'Cover', blocks: [{ kind: 'note', tone: 'plain', text: 'x' } as const] }
  const sections = [cover, { title: 'List', blocks: [table] }]
  const asOfMs = Date.UTC(2026, 6, 8)
  return { title: 'Any', report: 'any', account: 'acme', subtitle: 'any', asOfMs, sections }
}

it('a workbook returns every text and number unchanged, and contains no formula', async () => {
  let read = 0
  await holds(
    fc.asyncProperty(rows, async (cells) => {
      const path = join(directory, 'any.xlsx')
      await renderXlsx(documentOf(tableOf(cells)), path)
      const sheet = readZip(await readFile(path)).get('xl/worksheets/sheet2.xml') ?? ''
      expect(sheet).not.toMatch(/<f[ >]/)
      // Only text has a type, and the text itself stands in the table of texts.
      expect([...sheet.matchAll(/ t="(\w+)"/g)].every(([, type]) => type === 's')).toBe(true)
      const workbook = new ExcelJS.Workbook()
      await workbook.xlsx.readFile(path)
      const list = workbook.getWorksheet('List')
      for (const [at, [text, number]] of cells.entries()) {
        const row = list?.getRow(5 + at)
        expect(row?.getCell(1).text).toBe(text)
        expect(row?.getCell(2).value).toBe(number === 0 ? 0 : number)
        read++
      }
    }),
    40,
  )
  expect(read).toBe(2_000)
})

it('a CSV file returns every text unchanged to an independent parser', async () => {
  await holds(
    fc.asyncProperty(rows, async (cells) => {
      const path = join(directory, 'any.csv')
      await renderCsv(tableOf(cells), path)
      const [header, ...read] = parseCsv(await readFile(path, 'utf8'))
      expect(header).toEqual(['text', 'number', 'flag'])
      expect(read).toHaveLength(cells.length)
      for (const [at, [text, number, flag]] of cells.entries()) {
        const [first = '', second, third] = read[at] ?? []
        expect(withoutGuards(first)).toBe(text.toWellFormed())
        expect([Number(second), third]).toEqual([number === 0 ? 0 : number, String(flag)])
      }
    }),
    100,
  )
})

it('no CSV cell begins like a formula', async () => {
  await holds(
    fc.property(anyText(), (text) => {
      const cell = csvCell(text).replace(/^"/, '')
      expect(cell).not.toMatch(/^[\s\u00a0\ufeff\0]*[=+\-@＝＋－＠]/)
    }),
    4_000,
  )
})
