import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Cell, CellFormat, ReportDocument } from '../../../src/core/define/report.ts'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { excelValue } from '../../../src/report/xlsx/xlsx-value.ts'
import { readZip } from './read-zip.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-body-'))
})
afterAll(() => rm(directory, { recursive: true }))

const FORMATS: readonly CellFormat[] = ['text', 'integer', 'percent', 'date', 'instant', 'boolean']

/** The cells of each row as XML between `<c` and `</c>`, with the column but without the row number. */
async function cellsOf(rows: readonly (readonly Cell[])[]): Promise<string[][]> {
  const columns = [
    ...FORMATS.map((format) => ({ name: format, title: format, format })),
    { name: 'delta', title: 'delta', format: 'text', tint: 'delta' } as const,
  ]
  const list = { kind: 'table', title: 'List', columns, rows } as const
  const cover = { kind: 'note', tone: 'plain', text: 'x' } as const
  const document: ReportDocument = {
    title: 'Any',
    report: 'any',
    account: 'acme',
    subtitle: 'any',
    asOfMs: Date.UTC(2026, 6, 8),
    sections: [
      { title: 'Cover', blocks: [cover] },
      { title: 'List', blocks: [list] },
    ],
  }
  const path = join(directory, 'body.xlsx')
  await renderXlsx(document, path)
  const sheet = readZip(await readFile(path)).get('xl/worksheets/sheet2.xml') ?? ''
  const xml = [...sheet.matchAll(/<row r="(\d+)"[^>]*>(.*?)<\/row>/g)].slice(4)
  return xml.map(([, row, cells = '']) =>
    [...cells.matchAll(/<c r="([A-Z])(\d+)"(.*?)(?:\/>|<\/c>)/g)].map(([, letter, at, rest]) => {
      expect(at).toBe(row)
      return `${letter}${rest}`
    }),
  )
}

it('a workbook gives a repeated text in a column the same style', async () => {
  const texts: Cell[] = ['plain', '=1+1', '2026-06-01', 'yes', '007', 'a & b_x0041_']
  const row = (text: Cell): Cell[] => [...FORMATS, 'delta'].map(() => text)
  const rows = await cellsOf([...texts, ...texts].map(row))
  expect(rows).toHaveLength(12)
  expect(rows.slice(6)).toEqual(rows.slice(0, 6))
  const look = (cell = ''): string => / s="(\d+)"/.exec(cell)?.[1] ?? 'none'
  const [plain = [], formula = [], day = []] = rows
  expect(new Set(plain.map(look)).size).toBeGreaterThan(3)
  // In every column but the last, text that looks like a formula is marked as text.
  expect(new Set(formula.slice(0, 6).map(look)).size).toBe(1)
  expect(look(formula[0])).not.toBe(look(plain[0]))
  expect(day[3]).toMatch(/^D s="\d+"><v>46174<\/v>$/)
  expect(day[0]).toContain(' t="s"')
})

it('a workbook gives booleans, numbers and empty cells the style of their column', async () => {
  const rows = await cellsOf([
    [true, 1, 0.5, null, null, false, 3],
    [null, null, null, null, null, null, null],
    ['yes', Number.NaN, Infinity, 'x', 'x', 'no', null],
  ])
  const look = (cell = ''): string => / s="(\d+)"/.exec(cell)?.[1] ?? 'none'
  const [first = [], none = [], last = []] = rows
  expect(first.map(look)).toEqual(none.map(look))
  expect(none.every((cell) => /^[A-G] s="\d+"$/.test(cell))).toBe(true)
  expect([first[0], first[5]]).toEqual([last[0], last[5]])
  expect([last[1], last[2]]).toEqual([none[1], none[2]])
})

it('a workbook stores an instant as the number of days that Excel counts', () => {
  let days = 0
  for (
    let ms = Date.UTC(1900, 2, 1);
    ms < Date.UTC(2420, 0, 1);
    ms += 86_400_000 * 5 + 12_345_000
  ) {
    const text = new Date(ms).toISOString().slice(0, 19)
    expect(excelValue(text, 'instant')).toBe(Date.parse(`${text}Z`) / 86_400_000 + 25_569)
    days++
  }
  expect(days).toBeGreaterThan(30_000)
  for (const text of ['2026-13-01T00:00:00', '2026-06-01T25:00:00', '1900-02-28T00:00:00', 'soon'])
    expect(excelValue(text, 'instant')).toBe(text)
  expect(excelValue('2026-06-01T24:00:00', 'instant')).toBe(46_175)
  expect(excelValue('2026-06-01T12:00:00.5Z', 'instant')).toBe(46_174.5)
})
