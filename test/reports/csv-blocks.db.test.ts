import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reports } from '../../src/account/catalog.ts'
import { slug } from '../../src/core/values/slug.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import { parseCsv } from '../report/files/parse-csv.ts'
import { type BlockAtHand, documentAtHand } from './document-at-hand.ts'
import { EVERY_PARAMS, EVERY_REPORT, seedEveryReport } from './every-report.ts'

const timeZone = 'America/New_York'
let warehouse: Warehouse
let directory: string
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-csv-blocks-'))
  await seedEveryReport(warehouse, { account: 'acme', numbers: 120, perDay: 12 })
  await seedEveryReport(warehouse, { account: 'small', numbers: 3, perDay: 1 })
})
afterAll(() => rm(directory, { recursive: true }))

/** The lines of each CSV file with their header, by the part of its name after the report's. */
async function csvsOf(name: string, account = 'acme'): Promise<Map<string, string[][]>> {
  const report = reports.find((one) => one.name === name)
  if (report === undefined) throw new Error(`There is no report ${name}`)
  const params = { ...EVERY_PARAMS[name] }
  const request = { report, account, params, timeZone, directory }
  const { files } = await publishReport({ warehouse }, { ...request, formats: ['csv'] })
  const csvs = new Map<string, string[][]>()
  for (const { path } of files) {
    const lines = parseCsv(await readFile(path, 'utf8'))
    csvs.set(
      basename(path).split('.').slice(1, -1).join('.'),
      lines.map((cells) => cells.map((cell) => cell.replace(/^'/, ''))),
    )
  }
  return csvs
}

/** The text of a value. Text has a guard (') in the file, which `csvsOf` removes. */
const plain = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value).toWellFormed()

function expectedLines({ block, rows }: BlockAtHand): string[][] {
  if (block.kind === 'table')
    return [block.columns.map(({ name }) => name), ...rows.map((row) => row.map(plain))]
  if (block.kind !== 'chart') return []
  const { categories, series } = block.chart
  return [
    ['category', ...series.map(({ name }) => name)],
    ...categories.map((of, at) => [of, ...series.map(({ values }) => plain(values[at]))]),
  ]
}

describe.each(EVERY_REPORT)('the CSV files of %s', (name) => {
  let blocks: BlockAtHand[]
  let csvs: Map<string, string[][]>
  beforeAll(async () => {
    const wanted = { name, account: 'acme', params: { ...EVERY_PARAMS[name] }, timeZone }
    blocks = await documentAtHand(warehouse, wanted)
    csvs = await csvsOf(name)
  })

  it('contain each table and chart in a separate file, completely and in order', () => {
    const own = blocks.filter(({ block }) => block.kind === 'table' || block.kind === 'chart')
    expect(own.length).toBeGreaterThan(2)
    const parts = [...csvs.keys()].filter((part) => !part.startsWith('00-'))
    expect(parts).toHaveLength(own.length)
    for (const [at, one] of own.entries()) {
      const part = parts[at] ?? ''
      expect(part.split('.')[0]).toBe(slug(one.section))
      expect([part, csvs.get(part)]).toEqual([part, expectedLines(one)])
    }
  })

  it('have the same names for another account, and no name contains a month', async () => {
    const names = [...csvs.keys()]
    const smaller = [...(await csvsOf(name, 'small')).keys()]
    expect(smaller.length).toBeGreaterThan(2)
    expect(smaller.filter((part) => !names.includes(part))).toEqual([])
    expect(names.filter((part) => /(?<!\d)20\d\d|-\d+$/.test(part))).toEqual([])
  })

  it('contain each figure with its value, the previous value and the change', () => {
    const [head = [], ...lines] = csvs.get('00-figures') ?? []
    const found = lines.map((line) => Object.fromEntries(head.map((key, at) => [key, line[at]])))
    const wanted = blocks.flatMap(({ section, at, block }) =>
      block.kind !== 'figures'
        ? []
        : block.figures.map(({ label, value, format, before = null }) => {
            const numbers = typeof value === 'number' && typeof before === 'number'
            return {
              section,
              block: String(at),
              title: block.title,
              label,
              format,
              value: typeof value === 'number' ? plain(value) : '',
              value_text: typeof value === 'number' ? '' : plain(value),
              before_label: plain(block.beforeLabel),
              before: typeof before === 'number' ? plain(before) : '',
              before_text: typeof before === 'number' ? '' : plain(before),
              change: numbers ? plain(value - before) : '',
            }
          }),
    )
    expect(wanted.length).toBeGreaterThan(3)
    expect(found).toEqual(wanted)
  })

  it('contain each note with its tone', () => {
    const wanted = blocks.flatMap(({ section, at, block }) =>
      block.kind === 'note' ? [[section, String(at), block.tone, block.text]] : [],
    )
    expect(wanted.length).toBeGreaterThan(0)
    expect(csvs.get('00-notes')).toEqual([['section', 'block', 'tone', 'text'], ...wanted])
  })
})
