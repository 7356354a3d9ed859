import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { read } from 'hucre'
import readExcelFile from 'read-excel-file/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reports } from '../../src/account/catalog.ts'
import { readOrigin } from '../../src/apply/workbook/read-origin.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import { linesOf, wanted } from '../report/xlsx/books.ts'
import { readZip } from '../report/xlsx/read-zip.ts'
import { tableFaults, tablesOf } from '../report/xlsx/table-parts.ts'
import { EVERY_PARAMS, EVERY_REPORT, seedEveryReport } from './every-report.ts'

const office = spawnSync('soffice', ['--version']).status === 0
if (!office) process.stdout.write('NOT RUN: what needs LibreOffice, which this machine lacks\n')

let warehouse: Warehouse
let directory: string
const made = new Map<string, string>()
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-readers-'))
  const account = 'acme'
  await seedEveryReport(warehouse, { account, numbers: 500, perDay: 60 })
  for (const report of reports) {
    const { files } = await publishReport(
      { warehouse },
      {
        report,
        account,
        params: { ...EVERY_PARAMS[report.name] },
        timeZone: 'America/New_York',
        directory,
        formats: ['xlsx'],
      },
    )
    made.set(report.name, files[0]?.path ?? '')
  }
})
afterAll(() => rm(directory, { recursive: true }))

const pathOf = (report: string): string => made.get(report) ?? ''

const MARCH_1900 = Date.UTC(1900, 2, 1)

type Sheets = { name: string; rows: unknown[][] }[]

/** Cells in a comparable form, without empty cells at the end of rows and sheets. */
function plain(sheets: Sheets): Sheets {
  const cellOf = (cell: unknown): unknown => {
    // A duration. Programs count days before March 1900 differently, because of the invalid February 29.
    if (cell instanceof Date && cell.getTime() < MARCH_1900) return cell.toISOString().slice(11, 19)
    if (cell instanceof Date)
      return new Date(Math.round(cell.getTime() / 1000) * 1000).toISOString()
    if (typeof cell === 'number') return Number(cell.toPrecision(12))
    // One of the libraries trims text.
    return typeof cell === 'string' ? cell.trim() || null : (cell ?? null)
  }
  return sheets.map(({ name, rows }) => {
    const cells = rows.map((row) => {
      const values = row.map(cellOf)
      return values.slice(0, values.findLastIndex((value) => value !== null) + 1)
    })
    return { name, rows: cells.slice(0, cells.findLastIndex((row) => row.length > 0) + 1) }
  })
}

async function byHucre(path: string): Promise<Sheets> {
  const { sheets } = await read(await readFile(path))
  return plain(sheets.map(({ name, rows }) => ({ name, rows })))
}

async function byReadExcelFile(path: string): Promise<Sheets> {
  const sheets = await readExcelFile(path)
  return plain(sheets.map(({ sheet, data }) => ({ name: sheet, rows: data })))
}

describe.each(EVERY_REPORT)('the workbook of %s', (report) => {
  it('has tables that Excel opens without repair', async () => {
    const parts = readZip(await readFile(pathOf(report)))
    expect(tableFaults(parts)).toEqual([])
    expect(tablesOf(parts).length).toBeGreaterThan(report === 'reconciliation' ? 1 : 4)
  })

  it('is read the same by two third-party libraries', async () => {
    const [one, other] = [await byHucre(pathOf(report)), await byReadExcelFile(pathOf(report))]
    expect(one.map(({ name }) => name)).toEqual(other.map(({ name }) => name))
    expect(one[0]?.name).toBe('Summary')
    expect(one.at(-1)?.name).toBe('Provenance')
    expect(one.flatMap(({ rows }) => rows).length).toBeGreaterThan(50)
    for (const [at, { name, rows }] of one.entries())
      expect({ name, rows }).toEqual({ name, rows: other[at]?.rows })
  })

  it('has tables whose ranges are exactly their header and rows, as read by a library', async () => {
    const { sheets } = await read(await readFile(pathOf(report)))
    let found = 0
    for (const { name, rows, tables = [] } of sheets)
      for (const { range = '', columns = [] } of tables) {
        const [, top = '0', bottom = '0'] = /^[A-Z]+(\d+):[A-Z]+(\d+)$/.exec(range) ?? []
        const header = rows[Number(top) - 1]?.slice(0, columns.length)
        expect([name, header]).toEqual([name, columns.map((column) => column.name)])
        const body = rows.slice(Number(top), Number(bottom))
        expect(body.every((row) => row.some((cell) => (cell ?? '') !== ''))).toBe(true)
        const after = rows[Number(bottom)] ?? []
        expect(after.every((cell) => (cell ?? '') === '')).toBe(true)
        found += body.length
      }
    expect(found).toBeGreaterThan(3)
  })

  it('stores every date and time as a date cell, not as text', async () => {
    const sheets = await byHucre(pathOf(report))
    const dated = sheets.flatMap(({ name, rows }) =>
      rows.flatMap((row) =>
        row.flatMap((cell) =>
          /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(String(cell)) ? [[name, cell]] : [],
        ),
      ),
    )
    const times = dated.filter(([, cell]) => String(cell).endsWith('.000Z'))
    expect(dated.length - times.length).toBe(0)
    expect(times.length).toBeGreaterThan(2)
  })
})

describe.runIf(office)('LibreOffice', () => {
  beforeAll(() => {
    const out = ['--outdir', join(directory, 'saved'), ...made.values()]
    const profile = `-env:UserInstallation=file://${join(directory, 'profile')}`
    execFileSync('soffice', [profile, '--headless', '--convert-to', 'xlsx', ...out], {
      stdio: 'ignore',
    })
  }, 180_000)
  const savedOf = (report: string): string => join(directory, 'saved', basename(pathOf(report)))

  it.each(EVERY_REPORT)('opens and saves the workbook of %s without changes', async (report) => {
    const [before, after] = [await byHucre(pathOf(report)), await byHucre(savedOf(report))]
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name))
    for (const [at, { name, rows }] of after.entries())
      expect({ name, rows }).toEqual({ name, rows: before[at]?.rows })
  })

  it('keeps the origin, lines, protection and allowed values that apply needs', async () => {
    const saved = savedOf('number-inventory')
    const path = pathOf('number-inventory')
    expect(await readOrigin(saved)).toEqual(await readOrigin(path))
    const lists = [wanted('All numbers', 'Number', 'Product', 'Site', 'ID'), wanted('SMS consents')]
    const lines = await linesOf(saved, ...lists)
    expect(lines).toEqual(await linesOf(path, ...lists))
    expect(lines.length).toBeGreaterThan(800)
    const { sheets } = await read(await readFile(saved))
    const list = sheets.find(({ name }) => name === 'All numbers')
    expect(list?.protection).toMatchObject({ sheet: true, autoFilter: true })
    expect(list?.dataValidations?.[0]?.values).toEqual(['Unallocated', 'Phone', 'Contact center'])
    expect(sheets.find(({ name }) => name === 'SMS consents')?.protection).toBeUndefined()
  })
})
