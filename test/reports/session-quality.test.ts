import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import { publishReport } from '../../src/engine/publish-report.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import * as fixture from './fixture.ts'

let database: TestDatabase
let warehouse: Warehouse
let directory: string
const workbook = new ExcelJS.Workbook()
/** A sheet's rows from a header on, as plain values; the header is found by its first cell. */
function rowsUnder(sheet: string, header: string): unknown[][] {
  const rows: unknown[][] = []
  let seen = false
  workbook.getWorksheet(sheet)?.eachRow((row) => {
    const values = (row.values as unknown[]).slice(1)
    if (seen) rows.push(values)
    seen ||= values[0] === header
  })
  return rows
}

beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 2 })
  directory = await mkdtemp(join(tmpdir(), 'callsheet-quality-'))
  const runId = await fixture.insertRun(warehouse, fixture.sessionRun('acme'))
  await fixture.insertSessions(warehouse, { account: 'acme', runId, perDay: 60 })
  const { files } = await publishReport(
    { warehouse },
    {
      report: sessionQuality,
      account: 'acme',
      params: {},
      timeZone: 'America/New_York',
      directory,
      formats: ['xlsx'],
    },
  )
  await workbook.xlsx.readFile(files[0]?.path ?? '')
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
  await rm(directory, { recursive: true })
})

it('has the totals that SQL has, for the days of the zone', async () => {
  const { rows } = await sql<{ sessions: number; bad: number }>`
    select count(*)::int as sessions, count(*) filter (where audio_quality = 'bad')::int as bad
    from svc.session_reports
    where start_time >= '2026-10-01T04:00:00Z' and start_time < '2026-11-01T04:00:00Z'`.execute(
    warehouse.db,
  )
  const [month = []] = rowsUnder('Quality by month', 'Quality of')
  expect(month.slice(0, 3)).toEqual(['Audio', '2026-10', rows[0]?.sessions])
  expect(month[7]).toBe(rows[0]?.bad)
  const days = rowsUnder('Audio by day', 'Day')
  expect(days).toHaveLength(31)
  const sum = (column: number) => days.reduce((total, day) => total + Number(day[column]), 0)
  expect([sum(2), sum(7)]).toEqual([rows[0]?.sessions, rows[0]?.bad])
})

it('names the week and the session key of the bad audio', () => {
  const note = String(workbook.getWorksheet('Summary')?.getCell('A4').value)
  expect(note).toMatch(
    /^In the week of 2026-10-12 audio was bad in \d+\.\d % of the rated sessions/,
  )
  expect(note).toContain('have the session key team-red.')
  const [worst = []] = rowsUnder('Worst session keys', 'Session key')
  expect(worst[0]).toBe('team-red')
  expect(Math.max(...worst.slice(1).map(Number))).toBeGreaterThan(0.5)
})

it('lists the worst sessions, each with a bad rating, the worst first', () => {
  const ratings = rowsUnder('Worst sessions', 'Start').map((row) => row.slice(5, 8))
  expect(ratings.length).toBeGreaterThan(10)
  expect(ratings.every((row) => row.includes('bad'))).toBe(true)
  const points = ratings.map((row) => row.reduce((sum: number, rating) => sum + worth(rating), 0))
  expect(points).toEqual(points.toSorted((a, b) => b - a))
})

it('puts every session of the month in one band of duration and one of size', () => {
  const total = rowsUnder('Quality by month', 'Quality of')[0]?.[2]
  for (const header of ['Duration', 'Participants']) {
    const bands = rowsUnder('Duration and size', header).slice(0, 6)
    expect(bands.reduce((sum, band) => sum + Number(band[1]), 0)).toBe(total)
  }
})

it('compares the use of every feature with the month before', () => {
  const rows = rowsUnder('Use of features', 'Feature')
  expect(rows).toHaveLength(6)
  for (const [, , share, , before, change] of rows)
    expect(Number(share) - Number(before)).toBeCloseTo(Number(change))
})

function worth(rating: unknown): number {
  return { bad: 4, poor: 2, fair: 1 }[String(rating)] ?? 0
}
