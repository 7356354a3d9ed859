import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import * as fixture from './fixture.ts'
import { secondsOf } from './workbook.ts'

let database: TestDatabase
let warehouse: Warehouse
let directory: string
let workbook: ExcelJS.Workbook

async function seed(account: string): Promise<void> {
  const runId = await fixture.insertRun(warehouse, fixture.sessionRun(account))
  await fixture.insertSessions(warehouse, { account, runId, perDay: 60 })
}

async function publish(account: string): Promise<ExcelJS.Workbook> {
  const { files } = await publishReport(
    { warehouse },
    {
      report: sessionQuality,
      account,
      params: {},
      timeZone: ZONE,
      directory,
      formats: ['xlsx'],
    },
  )
  const book = new ExcelJS.Workbook()
  await book.xlsx.readFile(files[0]?.path ?? '')
  return book
}

/** The values of all rows below a header, which is found by its first cell. */
function rowsUnder(sheet: string, header: string, book = workbook): unknown[][] {
  const rows: unknown[][] = []
  let seen = false
  book.getWorksheet(sheet)?.eachRow((row) => {
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
  await seed('acme')
  workbook = await publish('acme')
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
  await rm(directory, { recursive: true })
})

it('the quality report has the same totals as SQL, for the days of the time zone', async () => {
  const { rows } = await sql<{ sessions: number; bad: number }>`
    select count(*)::int as sessions, count(*) filter (where audio_quality = 'bad')::int as bad
    from svc.session_reports where account = 'acme' and ${OCTOBER}`.execute(warehouse.db)
  const [month = []] = rowsUnder('Quality by month', 'Quality of')
  expect(month.slice(0, 3)).toEqual(['Audio', '2026-10', rows[0]?.sessions])
  expect(month[7]).toBe(rows[0]?.bad)
  const days = rowsUnder('Audio by day', 'Day')
  expect(days).toHaveLength(31)
  const sum = (column: number) => days.reduce((total, day) => total + Number(day[column]), 0)
  expect([sum(2), sum(7)]).toEqual([rows[0]?.sessions, rows[0]?.bad])
})

it('the quality report has each share’s change since the previous month, in points', async () => {
  const { rows } = await sql<{ now: number; before: number }>`
    select avg((audio_quality = 'bad')::int) filter (where ${OCTOBER})::float8 as now,
      avg((audio_quality = 'bad')::int) filter (where not (${OCTOBER})
        and start_time >= '2026-09-01Z' and start_time < '2026-11-01Z')::float8 as before
    from svc.session_reports where account = 'acme'
      and audio_quality in ('good', 'fair', 'poor', 'bad')`.execute(warehouse.db)
  const [{ now, before } = { now: 0, before: 0 }] = rows
  const [month = []] = rowsUnder('Quality by month', 'Quality of')
  expect(now).not.toBeCloseTo(before, 3)
  expect(Number(month[13])).toBeCloseTo(100 * (now - before), 6)
})

it('the quality report names the week and the session key of the bad audio', () => {
  const notes = [...Array(9).keys()].map((row) =>
    String(workbook.getWorksheet('Summary')?.getCell(`A${row + 1}`).value),
  )
  expect(notes.join('\n')).toMatch(
    /^Audio was bad in \d of \d+ sessions in the week of October 12 .*, mostly in team-red: ask its hosts/m,
  )
  const [worst = []] = rowsUnder('Worst session keys', 'Session key')
  expect(worst[0]).toBe('team-red')
  expect(Math.max(...worst.slice(1).filter((share) => typeof share === 'number'))).toBeGreaterThan(
    0.5,
  )
})

it('the quality report states once which causes of bad quality the service does not report', () => {
  const said = workbook.worksheets.flatMap((sheet) => {
    const texts: string[] = []
    sheet.eachRow((row) => texts.push(String(row.getCell(1).value)))
    return texts.filter((text) => /whose connection, device or region/i.test(text))
  })
  expect(said).toHaveLength(1)
})

it('the quality report lists the worst sessions with a bad rating, by participants’ minutes', () => {
  const rows = rowsUnder('Worst sessions', 'Start')
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.every((row) => row.slice(5, 8).includes('bad'))).toBe(true)
  const minutes = rows.map((row) => secondsOf(row[3]) * Number(row[4]))
  expect(minutes).toEqual(minutes.toSorted((a, b) => b - a))
})

it('the quality report ranks session keys by minutes in bad sessions above the expected', async () => {
  const { rows } = await sql<{ key: string; minutes: number; excess: number }>`
    with rated as (select session_key, user_count * duration / 60.0 as minutes,
        'bad' in (audio_quality, video_quality, screen_share_quality) is true as bad
      from svc.session_reports where account = 'acme' and ${OCTOBER}
        and coalesce(audio_quality, video_quality, screen_share_quality) is not null)
    select * from (
      select session_key as key, coalesce(sum(minutes) filter (where bad), 0)::float8 as minutes,
        (coalesce(sum(minutes) filter (where bad), 0) - sum(minutes)
          * (select sum(minutes) filter (where bad) / sum(minutes) from rated))::float8 as excess
      from rated group by 1) k
    where excess > 0 order by excess desc`.execute(warehouse.db)
  expect(rows.length).toBeGreaterThan(1)
  const shown = rowsUnder('Worst session keys', 'Session key').filter(isRanked)
  expect(shown.map(([key]) => key)).toEqual(rows.map(({ key }) => key))
  for (const [at, { minutes, excess }] of rows.entries()) {
    expect(Number(shown[at]?.[4])).toBeCloseTo(minutes, 3)
    expect(Number(shown[at]?.[5])).toBeCloseTo(excess, 3)
  }
})

it('the quality report names the first day of a session key with the most bad sessions', async () => {
  const { rows } = await sql<{ key: string; day: string }>`
    select distinct on (session_key) session_key as key, day::text as day
    from svc.session_reports cross join lateral (values ((start_time at time zone ${ZONE})::date)) d (day)
    where account = 'acme' and ${OCTOBER}
      and 'bad' in (audio_quality, video_quality, screen_share_quality)
    group by 1, d.day order by 1, count(*) desc, d.day`.execute(warehouse.db)
  const shown = rowsUnder('Worst session keys', 'Session key').filter(isRanked)
  const days = new Map(rows.map(({ key, day }) => [key, day]))
  expect(shown.length).toBeGreaterThan(1)
  for (const row of shown)
    expect((row.at(-1) as Date).toISOString().slice(0, 10)).toBe(days.get(String(row[0])))
})

it('the quality report counts each session in one band of duration and one band of size', () => {
  const total = rowsUnder('Quality by month', 'Quality of')[0]?.[2]
  for (const header of ['Duration', 'Participants']) {
    const bands = rowsUnder('Duration and size', header).slice(0, 6)
    expect(bands.reduce((sum, band) => sum + Number(band[1]), 0)).toBe(total)
  }
})

it('the quality report compares the use of every feature with the previous month', () => {
  const rows = rowsUnder('Use of features', 'Feature')
  expect(rows).toHaveLength(6)
  for (const [, , share, , , before, , change] of rows)
    expect(100 * (Number(share) - Number(before))).toBeCloseTo(Number(change), 9)
})

it('the quality report treats a session with an empty rating as not rated', async () => {
  await seed('unrated')
  const own = sql`account = 'unrated' and ${OCTOBER}`
  const nothing = sql`audio_quality = '', video_quality = '', screen_share_quality = ''`
  // 50 sessions of sales lose the audio rating, legal keeps three rated sessions, lab only video ratings.
  await sql`update svc.session_reports set audio_quality = '' where account = 'unrated' and id in (
      select id from svc.session_reports where ${own} and session_key = 'sales' and audio_quality <> 'bad'
      order by id limit 50)`.execute(warehouse.db)
  await sql`update svc.session_reports set ${nothing} where account = 'unrated'
    and session_key = 'legal'`.execute(warehouse.db)
  await sql`update svc.session_reports set audio_quality = 'bad' where account = 'unrated' and id in (
      select id from svc.session_reports where ${own} and session_key = 'legal'
      order by id limit 3)`.execute(warehouse.db)
  await sql`update svc.session_reports set audio_quality = '', screen_share_quality = 'unknown'
    where account = 'unrated' and session_key = 'lab'`.execute(warehouse.db)
  await sql`update svc.session_reports set video_quality = 'bad' where account = 'unrated' and id in (
      select id from svc.session_reports where ${own} and session_key = 'lab'
      order by id limit 20)`.execute(warehouse.db)
  const badShare = (column: string) => sql`count(*) filter (where ${sql.id(column)} = 'bad')::float8
    / nullif(count(*) filter (where ${sql.id(column)} in ('good', 'fair', 'poor', 'bad')), 0)`
  const { rows } = await sql<{ key: string; audio: number; video: number; screen: number }>`
    select session_key as key, ${badShare('audio_quality')} as audio, ${badShare('video_quality')} as video,
      ${badShare('screen_share_quality')} as screen
    from svc.session_reports where ${own} and session_key <> 'legal' group by 1
    having bool_or('bad' in (audio_quality, video_quality)) order by 1`.execute(warehouse.db)
  expect(rows.map(({ key }) => key)).toEqual(expect.arrayContaining(['sales', 'lab']))
  const book = await publish('unrated')
  const all = rowsUnder('Worst session keys', 'Session key', book)
  const [weeks] = all.filter(([key]) => key === 'lab')
  expect(weeks?.slice(1).some((week) => (week ?? null) !== null)).toBe(false)
  const shown = all.filter(isRanked)
  const ranked = new Set(shown.map(([key]) => key))
  expect([...ranked]).toEqual(expect.arrayContaining(['lab']))
  expect(
    shown
      .map(([key, , , , , , , audio, , , video, , , screen]) => ({
        key,
        audio: audio ?? null,
        video: video ?? null,
        screen: screen ?? null,
      }))
      .toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1)),
  ).toEqual(rows.filter(({ key }) => ranked.has(key)))
})

/** True for a row of the ranked keys, which ends with a day; rows of the table of weeks do not. */
const isRanked = (row: unknown[]): boolean => row.at(-1) instanceof Date

/** October is that of New York. */
const ZONE = 'America/New_York'
const OCTOBER = sql`start_time >= '2026-10-01T04:00:00Z' and start_time < '2026-11-01T04:00:00Z'`
