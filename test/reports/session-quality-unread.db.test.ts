import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as fixture from './fixture.ts'
import { readWorkbook, type Workbook } from './workbook.ts'

let warehouse: Warehouse
let directory: string

useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })

async function publish(
  account: string,
  month: string,
): Promise<{ book: Workbook; page: string; paths: string[] }> {
  const wanted = { report: sessionQuality, account, params: { month }, timeZone: 'UTC', directory }
  const { files } = await publishReport(
    { warehouse },
    { ...wanted, formats: ['xlsx', 'html', 'csv'] },
  )
  const paths = files.map(({ path }) => path)
  const [book = '', page = ''] = paths
  return { book: await readWorkbook(book), page: await readFile(page, 'utf8'), paths }
}

/** The row of a day, by heading. */
async function day(book: Workbook, name: string): Promise<Record<string, unknown>> {
  const [row] = book
    .records('Audio by day', 'Day')
    .filter(({ Day }) => Day instanceof Date && Day.toISOString().startsWith(name))
  return row ?? {}
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-unread-'))
  const runId = await fixture.insertRun(warehouse, fixture.sessionRun('acme'))
  await fixture.insertSessions(warehouse, { account: 'acme', runId, perDay: 10 })
  await sql`delete from svc.session_reports where account = 'acme'
    and start_time >= '2026-11-03' and start_time < '2026-11-04'`.execute(warehouse.db)
})
afterAll(() => rm(directory, { recursive: true }))

const TO_DATE =
  'The period 2026-11 is up to date: it has not ended yet, and was read up to 2026-11-20 01:58.'

it('the quality report compares the current month with the same days of the month before', async () => {
  const { book, page } = await publish('acme', '2026-11')
  expect(page).not.toContain('note bad')
  const [toDate] = book.notes('Summary').filter((note) => note.startsWith('2026-11 is to date'))
  expect(toDate).toBe(
    '2026-11 is to date, up to 2026-11-20. It is compared with the same days before, ' +
      '2026-10-01..2026-10-20.',
  )
  const count = async (from: string, to: string) => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from svc.session_reports
      where account = 'acme' and start_time >= ${from} and start_time < ${to}`.execute(warehouse.db)
    return rows[0]?.n
  }
  const [now, before] = book.records('Quality by month', 'Quality of')
  expect(now?.Sessions).toBe(await count('2026-11-01Z', '2026-12-01Z'))
  expect(before).toMatchObject({
    Month: '2026-10-01..2026-10-20',
    Sessions: await count('2026-10-01Z', '2026-10-20T02:00:00Z'),
  })
})

it('the quality report is red if past days of the current month are missing', async () => {
  const runId = await fixture.insertRun(warehouse, {
    ...fixture.sessionRun('holed'),
    slices: fixture
      .sessionRun('holed')
      .slices.filter(({ from }) => from !== '2026-11-08T00:00:00Z'),
  })
  await fixture.insertSessions(warehouse, { account: 'holed', runId, perDay: 2 })
  const [verdict] = (await publish('holed', '2026-11')).book.notes('Summary')
  expect(verdict).toContain('The period 2026-11 is NOT complete')
})

it('the quality report has no counts for unread days, and zeros for days without sessions', async () => {
  const { book, paths } = await publish('acme', '2026-11')
  expect(await day(book, '2026-11-03')).toMatchObject({ Sessions: 0, Bad: 0, Coverage: 'complete' })
  expect(await day(book, '2026-11-20')).toMatchObject({ Sessions: 0, Coverage: 'incomplete' })
  for (const name of ['2026-11-21', '2026-11-30'])
    expect(await day(book, name)).toMatchObject({
      Sessions: null,
      Rated: null,
      Bad: null,
      Coverage: 'not read',
    })
  const weeks = book.chart('Share rated bad, by week from Monday, 2026-06 to 2026-11')
  const at = (monday: string) => weeks.find(([name]) => name === monday)?.slice(1, 3)
  expect(at('11-16')).toEqual([expect.any(Number), expect.any(Number)])
  expect(at('11-23')).toBeUndefined()
  const csv = await readFile(paths.find((path) => path.endsWith('.video-by-day.csv')) ?? '', 'utf8')
  expect(csv).toMatch(/^2026-11-03,Tue,0,0,.*,complete\r$/m)
  expect(csv).toMatch(/^2026-11-21,Sat,{15}not read\r$/m)
})

it('the quality report repeats the verdict, and has no positive finding on incomplete data', async () => {
  const { book, page } = await publish('acme', '2026-11')
  const [verdict, scenario] = book.notes('Summary')
  expect(verdict).toBe(TO_DATE)
  expect(scenario).toContain(
    'As far as it was read, no part of November 2026 is worse than the rest:',
  )
  expect(page).not.toContain('note good')
  const whole = await publish('acme', '2026-10')
  expect(whole.book.notes('Summary').join()).not.toContain('covered')
})

it('the quality report’s CSV files state account, data time, runs and missing periods', async () => {
  const { paths } = await publish('acme', '2026-11')
  const read = async (part: RegExp) => {
    const text = await readFile(paths.find((path) => part.test(path)) ?? '', 'utf8')
    return text.replace(/^\ufeff/, '')
  }
  expect(await read(/2026-11\.00-notes\.csv$/)).toContain(`\r\nProvenance,1,plain,"${TO_DATE}"\r\n`)
  const about = await read(/2026-11\.00-figures\.csv$/)
  expect(about).toMatch(/^Provenance,\d+,About this report,Account,text,,acme,,,,\r$/m)
  expect(about).toMatch(
    /^Provenance,\d+,About this report,As of,instant,,2026-11-20T02:00:00,,,,\r$/m,
  )
  const runs = await read(/\.provenance\.source-runs\.csv$/)
  expect(runs).toMatch(
    /^stream,job,.*,covered\r\nsession_reports,.*2026-11-20T02:00:00,.*,false\r\n/,
  )
  expect(await read(/\.provenance\.missing-data\.csv$/)).toBe(
    'stream,from,to\r\nsession_reports,2026-11-20T01:58:00,2026-12-01T00:00:00\r\n',
  )
})

it('the quality report does not treat an unread month as one without sessions', async () => {
  const { book, page } = await publish('acme', '2026-03')
  expect(page).toContain('>Nothing of 2026-03 was read.<')
  expect(page).not.toMatch(/There is no session|No session was rated bad|note good/)
  expect(page).toContain('session_reports lacks 31 days')
  const months = book.records('Quality by month', 'Quality of')
  expect(months[0]).toMatchObject({ Month: '2026-03', Sessions: null, Rated: null })
  expect(book.records('Use of features', 'Feature')[0]).toMatchObject({ 'Sessions 2026-03': null })
  await sql`delete from svc.session_reports where account = 'acme'
    and start_time >= '2026-09-01' and start_time < '2026-10-01'`.execute(warehouse.db)
  const quiet = await publish('acme', '2026-09')
  expect(quiet.book.notes('Summary').at(-1)).toBe('There is no session in 2026-09.')
  expect(await day(quiet.book, '2026-09-01')).toMatchObject({ Sessions: 0, Coverage: 'complete' })
})
