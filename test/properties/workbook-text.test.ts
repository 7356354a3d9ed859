import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import * as fc from 'fast-check'
import { read } from 'hucre'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderXlsx } from '../../src/report/xlsx/xlsx.ts'
import { cellText, readText } from '../../src/report/xlsx/xlsx-text.ts'
import { exampleDocument, row, table } from '../report/page/document.ts'
import { linesOf, wanted } from '../report/xlsx/books.ts'
import { anyText, holds } from './holds.ts'

/** An escape whose last character was put there by another one, and all of that kind. */
const CASES = [
  'SKU_x0041\rrest',
  'SKU_x0041\u0000rest',
  'SKU_x0041\ud800rest',
  'SKU_x0041\udc00',
  'SKU_x0041\uffferest',
  'SKU_x0041\u0085rest',
  'SKU_x0041_x0042_',
  'SKU_x0041_x0042\r',
  'SKU_x005F\r_x0041_',
  '_x005F_x0041\r',
  '_x000D_\r_x000D',
  '__x0041__',
  '_x0041',
  '_xd83d_xde00_',
  '_x00e4\r_x00E4\r',
  '\r_x000a\r\n_x000A_',
  'x0041_',
  '_x004\r',
  '_X0041\r',
]

/** Pieces of escapes, which together make all that look like one. */
const ESCAPES = '_ x _x 0041 005F 000d D83D _x0041 _x0041_ _x005F_ x0041_ rest'.split(' ')
const UNITS = '\r\n\t\0\u0085\ud83d\ude00\ufffe\uffff <&"'.split('')
const pieces = fc.array(fc.constantFrom(...ESCAPES, ...UNITS), { maxLength: 12 })
const lookAlikes = pieces.map((parts) => parts.join(''))

it.each(CASES)('%j is unchanged after encoding and decoding', (text) => {
  expect(readText(cellText(text))).toBe(text)
})

it('every text is unchanged after encoding and decoding', async () => {
  await holds(
    fc.property(fc.oneof(lookAlikes, anyText()), (text) => {
      const stored = cellText(text)
      expect(readText(stored)).toBe(text)
      expect(stored).toMatch(/^[\t\n -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u)
      expect(stored).not.toMatch(/[\r\u007f-\u009f]/)
    }),
    10_000,
  )
})

describe('a workbook returns each text unchanged to', () => {
  const texts = [
    ...new Set([...CASES, ...fc.sample(lookAlikes, { numRuns: 2_000, seed: 44 })]),
  ].filter((text) => text.trim() !== '')
  let directory: string
  let path: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'callsheet-text-'))
    path = join(directory, 'texts.xlsx')
    const sections = [{ title: 'List', blocks: [table(texts.map(row))] }]
    await renderXlsx({ ...exampleDocument(), sections }, path)
  })
  afterAll(() => rm(directory, { recursive: true }))

  it('our own reader', async () => {
    const lines = await linesOf(path, wanted('List', 'Number'))
    expect(lines.map(({ cells }) => cells.Number)).toEqual(texts)
  })

  it('exceljs', async () => {
    const book = new ExcelJS.Workbook()
    await book.xlsx.readFile(path)
    const sheet = book.getWorksheet('List')
    expect(texts.length).toBeGreaterThan(1_500)
    const head = (sheet?.rowCount ?? 0) - texts.length
    expect(texts.map((_text, at) => sheet?.getRow(head + at + 1).getCell(1).text)).toEqual(texts)
  })

  it('hucre, a third-party reader', async () => {
    const { sheets } = await read(await readFile(path))
    const rows = sheets.find(({ name }) => name === 'List')?.rows ?? []
    expect(rows.slice(-texts.length).map(([first]) => first)).toEqual(texts)
  })
})
