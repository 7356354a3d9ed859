import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Table } from '../../../src/core/define/report.ts'
import { csvCell, renderCsv } from '../../../src/report/files/csv.ts'
import { anyText, holds } from '../../properties/holds.ts'
import { askDuckDb, quoted } from '../duckdb.ts'
import { parseCsv, withoutGuards } from './parse-csv.ts'

/** Harmless in a CSV read with commas, but with another separator a part would be a formula cell. */
const SPLIT = [
  'Board;=1+1',
  'Board,=1+1',
  'Board\t=1+1',
  'Board|=1+1',
  'Board؛=1+1',
  'Board\n=1+1',
  'Board\r=1+1',
  'Board; \u00a0=1+1',
  'Board;\u200b+1',
  'Board;-1+A1',
  'Board;@SUM(A1)',
  'Board;＝1',
  'Board;＋1',
  'Board;－1',
  'Board;＠A1',
  'Board;"=1+1;"',
  'Board;""=1+1;x',
  ';=1',
  '\t;\t=1',
  'a;b;=1;=2',
  "Board;'=1",
  "';'=1",
]
const SEPARATORS = [',', ';', '\t', '|', '؛']

let directory: string
let path: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-csv-elsewhere-'))
  path = join(directory, 'a.csv')
})
afterAll(() => rm(directory, { recursive: true }))

function tableOf(texts: readonly string[]): Table {
  const text = (name: string) => ({ name, title: name, format: 'text' }) as const
  const rows = texts.map((value, at) => [-at - 1, value, `x${at}`, value])
  const columns = [text('number'), text('name'), text('id'), text('again')]
  return { kind: 'table', title: 'List', columns, rows }
}

describe('a CSV file read with another separator', () => {
  it.each(SPLIT)('starts no cell of %j with a formula sign, and keeps the text', (value) => {
    const cell = csvCell(value)
    expect(cell).toMatch(/^".*"$/s)
    for (const separator of SEPARATORS)
      expect(cellsElsewhere(`1,${cell},1`, separator).filter(isFormula)).toEqual([])
    expect(withoutGuards(cell.slice(1, -1).replaceAll('""', '"'))).toBe(value)
  })

  it.each(SEPARATORS)('quotes any text with %j in it', (separator) => {
    expect(csvCell(`Board${separator} one`)).toBe(`"Board${separator} one"`)
  })

  it('quotes text that would become a formula after a negative number', () => {
    expect(csvCell("5+cmd|'/c calc'!A0")).toBe(`"5+cmd|'/c calc'!A0"`)
  })

  it('starts no cell of any text with a formula sign, and keeps the text', async () => {
    const joint = fc.constantFrom(
      ...SEPARATORS,
      '"',
      "'",
      '=',
      '+',
      '＠',
      ' ',
      '\n',
      '\r',
      '\0',
      'a',
    )
    const texts = fc.oneof(
      anyText(),
      fc.array(joint, { maxLength: 12 }).map((parts) => parts.join('')),
    )
    await holds(
      fc.property(texts, (value) => {
        const cell = csvCell(value)
        for (const separator of SEPARATORS)
          expect(cellsElsewhere(`1,${cell},1`, separator).filter(isFormula)).toEqual([])
        const read = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
        expect(withoutGuards(read)).toBe(value)
      }),
      20_000,
    )
  })

  it('takes only seconds for cells of a million separators', () => {
    const began = performance.now()
    for (const filling of ['\t', ';', ';"', '\n ', " '"]) csvCell(filling.repeat(500_000))
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})

describe('the byte order mark of a CSV file', () => {
  beforeAll(() => renderCsv(tableOf(['Zoë 漢字', ...SPLIT]), path))

  it('is only at the beginning of the file', async () => {
    const bytes = await readFile(path)
    expect([...bytes.subarray(0, 9)]).toEqual([0xef, 0xbb, 0xbf, ...Buffer.from('number')])
    expect(bytes.toString('utf8').lastIndexOf('\ufeff')).toBe(0)
  })

  it('is not part of the first column name in DuckDB, which reads numbers as numbers', async () => {
    const rows = await askDuckDb(`select * from ${quoted(path)}`)
    expect(Object.keys(rows[0] ?? {})).toEqual(['number', 'name', 'id', 'again'])
    expect(rows.map(({ number }) => Number(number))).toEqual(
      ['Zoë 漢字', ...SPLIT].map((_value, at) => -at - 1),
    )
    expect(rows.map(({ name }) => withoutGuards(String(name)))).toEqual(['Zoë 漢字', ...SPLIT])
    const [first] = await askDuckDb(`select sum(number) as sum from ${quoted(path)}`)
    expect(Number(first?.['sum'])).toBe(-(SPLIT.length + 1) * (SPLIT.length / 2 + 1))
  })

  it('is not part of the first column name for a parser that skips it', async () => {
    const [head] = parseCsv(await readFile(path, 'utf8'))
    expect(head).toEqual(['number', 'name', 'id', 'again'])
  })
})

/**
 * The cells of a line for a program with another separator: quotes count only at the start of a cell,
 * text after the closing quote belongs to the cell, and a line break outside quotes ends the cell.
 */
function cellsElsewhere(line: string, separator: string): string[] {
  const cells: string[] = []
  for (let at = 0; at <= line.length; at++) {
    let cell = ''
    if (line[at] === '"') {
      for (at++; at < line.length; at++) {
        if (line[at] !== '"') cell += line[at]
        else if (line[at + 1] === '"') cell += line[++at]
        else break
      }
      at++
    }
    for (; at < line.length && line[at] !== separator && !/[\r\n]/.test(line[at] ?? ''); at++)
      cell += line[at]
    cells.push(cell)
  }
  return cells
}

function isFormula(cell: string): boolean {
  return /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(cell)
}
