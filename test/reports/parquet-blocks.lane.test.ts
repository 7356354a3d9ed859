import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reports } from '../../src/account/catalog.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { BLOCKS } from '../docs/pages.ts'
import { useWarehouse } from '../helpers/database.ts'
import { askDuckDb, type DuckRow, metadataIn, quoted, typesIn } from '../report/duckdb.ts'
import { type BlockAtHand, documentAtHand } from './document-at-hand.ts'
import { EVERY_PARAMS, EVERY_REPORT, seedEveryReport } from './every-report.ts'

const timeZone = 'America/New_York'
let warehouse: Warehouse
let directory: string
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-parquet-blocks-'))
  await seedEveryReport(warehouse, { account: 'acme', numbers: 120, perDay: 12 })
})
afterAll(() => rm(directory, { recursive: true }))

async function pathsOf(name: string, params: object = {}): Promise<string[]> {
  const report = reports.find((one) => one.name === name)
  if (report === undefined) throw new Error(`There is no report ${name}`)
  const request = { report, account: 'acme', timeZone, directory, formats: ['parquet'] as const }
  const asked = { ...EVERY_PARAMS[name], ...params }
  const { files } = await publishReport({ warehouse }, { ...request, params: asked })
  return files.map(({ path }) => path)
}

const rowsIn = (path: string) => askDuckDb(`select * from ${quoted(path)}`)

/** The text of a value, in the same form for values from DuckDB and from the report. */
function plain(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return String(value).replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/, '$1T$2')
}

/** The cells of a row; text among numbers is in the additional column `<name>_text`. */
const cellsOf = (row: DuckRow, names: readonly string[]) =>
  names.map((name) => plain(row[name] ?? row[`${name}_text`]))

function expectedRows({ block, rows }: BlockAtHand): (string | null)[][] {
  if (block.kind === 'table') return rows.map((row) => row.map(plain))
  if (block.kind !== 'chart') return []
  const { categories, series } = block.chart
  return categories.map((of, at) => [of, ...series.map(({ values }) => plain(values[at]))])
}

const namesOf = ({ block }: BlockAtHand): string[] => {
  if (block.kind === 'table') return block.columns.map(({ name }) => name)
  return block.kind === 'chart' ? ['category', ...block.chart.series.map(({ name }) => name)] : []
}

describe.each(EVERY_REPORT)('the Parquet files of %s', (name) => {
  let blocks: BlockAtHand[]
  let paths: string[]
  beforeAll(async () => {
    const wanted = { name, account: 'acme', params: { ...EVERY_PARAMS[name] }, timeZone }
    blocks = await documentAtHand(warehouse, wanted)
    paths = await pathsOf(name)
  })

  it('contain the tables and charts of the report, as read by DuckDB', async () => {
    const own = blocks.filter(({ block }) => block.kind === 'table' || block.kind === 'chart')
    const files = paths.filter((path) => !basename(path).includes('.00-'))
    expect(files).toHaveLength(own.length)
    for (const [at, one] of own.entries()) {
      const found = await rowsIn(files[at] ?? '')
      const cells = found.map((row) => cellsOf(row, namesOf(one)))
      expect([files[at], cells]).toEqual([files[at], expectedRows(one)])
    }
  })

  it('contain each figure with its value, and the account and data time as metadata', async () => {
    const path = paths.find((one) => one.endsWith('.00-figures.parquet')) ?? ''
    const found = (await rowsIn(path)).map((row) => [row.label, plain(row.value ?? row.value_text)])
    const figures = blocks.flatMap(({ block }) => (block.kind === 'figures' ? block.figures : []))
    expect(figures.length).toBeGreaterThan(3)
    expect(found).toEqual(figures.map(({ label, value }) => [label, plain(value)]))
    const asOf = figures.find(({ label }) => label === 'As of')?.value
    for (const one of paths) {
      const facts = await metadataIn(one)
      expect(facts).toMatchObject({
        'callsheet.account': 'acme',
        'callsheet.report': name,
        'callsheet.time_zone': timeZone,
        'callsheet.whole': expect.stringMatching(/^(true|false)$/),
      })
      const instant = new Date(facts['callsheet.as_of'] ?? '')
      // The Swedish locale formats days and times as ISO 8601 does.
      expect(instant.toLocaleString('sv', { timeZone }).replace(' ', 'T')).toBe(asOf)
    }
  })
})

describe('the metadata of a Parquet file', () => {
  it('state that the current period is incomplete, what was not read, and the runs', async () => {
    const paths = await pathsOf('session-quality', { month: '2026-11' })
    const facts = await metadataIn(paths.at(-1) ?? '')
    const { rows } = await sql<{ id: number; ended: string }>`
      select r.id, to_char(r.finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended
      from callsheet.runs r where account = 'acme' and exists (
        select from callsheet.slices s where s.run_id = r.id and s.stream = 'session_reports')
      order by id desc limit 1`.execute(warehouse.db)
    const [run] = rows
    expect(facts).toMatchObject({
      'callsheet.period': '2026-11',
      'callsheet.period_from': '2026-11-01T04:00:00.000Z',
      'callsheet.period_to': '2026-12-01T05:00:00.000Z',
      'callsheet.as_of': run?.ended,
      'callsheet.whole': 'false',
      'callsheet.verdict': expect.stringMatching(/^The period 2026-11 is up to date: /),
    })
    expect(JSON.parse(facts['callsheet.runs'] ?? '')).toContain(run?.id)
    expect(JSON.parse(facts['callsheet.coverage'] ?? '')[0]).toMatchObject({
      stream: 'session_reports',
      run: run?.id,
      run_ended: run?.ended,
      whole: false,
      needed: true,
    })
    expect(JSON.parse(facts['callsheet.unread'] ?? '')).toEqual([
      {
        stream: 'session_reports',
        from: '2026-11-20T01:58:00.000Z',
        to: '2026-12-01T05:00:00.000Z',
      },
    ])
  })

  it('state that a completely read period is complete', async () => {
    const paths = await pathsOf('session-quality', { month: '2026-10' })
    const facts = await metadataIn(paths.at(-1) ?? '')
    expect(facts).toMatchObject({
      'callsheet.whole': 'true',
      'callsheet.verdict': 'The period 2026-10 is complete: every slice was read to its end.',
      'callsheet.unread': '[]',
    })
    const byDay = paths.find((path) => path.endsWith('-by-day.parquet')) ?? ''
    expect(await typesIn(byDay)).toMatchObject({ day: 'DATE', sessions: 'BIGINT' })
    const { 'callsheet.columns': titles = '{}' } = await metadataIn(byDay)
    expect(JSON.parse(titles)).toMatchObject({ day: 'Day', sessions: 'Sessions' })
  })
})

describe('the queries for DuckDB in the docs', () => {
  it('find rows in the Parquet files of a report', async () => {
    await pathsOf('session-quality', { month: '2026-10' })
    const queries = BLOCKS.filter(({ language }) => language === 'sql duckdb')
      .flatMap(({ text }) => text.trim().split('\n'))
      .map((query) =>
        query.replace('out/main-', `${directory}/acme-`).replace('2026-06', '2026-10'),
      )
    expect(queries).toHaveLength(2)
    for (const query of queries) expect((await askDuckDb(query)).length).toBeGreaterThan(3)
  })
})
