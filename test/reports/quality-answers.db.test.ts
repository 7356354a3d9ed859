import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import { loadCompany } from './load-company.ts'
import { readWorkbook, type Workbook } from './workbook.ts'

// Questions of managers about the simulated company, whose story contains an answer to each. Each answer is
// compared with a simple SQL statement over the same rows.

let warehouse: Warehouse
let directory: string
let book: Workbook
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-answers-'))
  await loadCompany(warehouse, { account: 'company', seed: 1 })
  const { files } = await publishReport(
    { warehouse },
    {
      report: sessionQuality,
      account: 'company',
      params: { month: '2026-06' },
      settings: {
        targets: { audio: 0.02, video: 0.05, screenShare: null },
        keyGroups: [
          { name: 'Sales', pattern: '^sales-(emea|apac|americas)-' },
          { name: 'One-on-ones', pattern: 'one-on-one$' },
        ],
      },
      timeZone: 'UTC',
      directory,
      formats: ['xlsx'],
    },
  )
  book = await readWorkbook(files[0]?.path ?? '')
})
afterAll(() => rm(directory, { recursive: true }))

const JUNE = sql`start_time >= '2026-06-01Z' and start_time < '2026-07-01Z'`

/** Counts the rated and the bad sessions by a simple statement. */
async function counted(kind: string, where: RawBuilder<unknown>) {
  const { rows } = await sql<{ rated: number; bad: number }>`
    select count(${sql.id(`${kind}_quality`)})::int as rated,
      count(*) filter (where ${sql.id(`${kind}_quality`)} = 'bad')::int as bad
    from svc.session_reports where ${where}`.execute(warehouse.db)
  const { rated = 0, bad = 0 } = rows[0] ?? {}
  return { rated, bad, share: bad / rated }
}

/** The lower end of a share's interval, because shares of hours with few sessions vary by chance. */
const lowOf = (row: Record<string, unknown>): number => ends(row['Video bad, 95 %'])[0] ?? 0

const ends = (interval: unknown): number[] =>
  (String(interval).match(/[\d.]+/g) ?? []).map((end) => Number(end) / 100)

it('the quality report shows six months side by side, each with its coverage', async () => {
  const audio = book.records('Quality by month', 'Quality of').slice(0, 6)
  const months = ['2026-06', '2026-05', '2026-04', '2026-03', '2026-02', '2026-01']
  expect(audio.map(({ Month }) => Month)).toEqual(months)
  // The service returns only the last 180 days.
  expect(audio.map(({ Coverage }) => Coverage)).toEqual([
    ...Array.from({ length: 5 }, () => 'complete'),
    'incomplete',
  ])
  for (const { Month, Rated, Bad } of audio) {
    const month = sql`to_char(start_time at time zone 'UTC', 'YYYY-MM') = ${Month}`
    const { rated, bad } = await counted('audio', month)
    expect([Rated, Bad]).toEqual([rated, bad])
  }
})

it('the quality report shows which targets were attained, and on how many days', async () => {
  const targets = book.records('Targets', 'Quality of')
  const of = (kind: string) =>
    targets.find((row) => row['Quality of'] === kind && row.Month === '2026-06')
  expect(new Set(targets.map((row) => row['Quality of']))).toEqual(new Set(['Audio', 'Video']))
  const [audio, video] = [await counted('audio', JUNE), await counted('video', JUNE)]
  expect(audio.share).toBeGreaterThan(0.02)
  expect(video.share).toBeLessThan(0.05)
  expect(of('Audio')).toMatchObject({ Target: 'missed', 'Bad share': audio.share })
  expect(of('Video')).toMatchObject({ Target: 'met', 'How sure': 'sure' })
  const { rows } = await sql<{ within: number; days: number }>`
    select count(*)::int as days, count(*) filter (where bad <= 0.02 * rated)::int as within
    from (select count(audio_quality) as rated, count(*) filter (where audio_quality = 'bad') as bad
      from svc.session_reports where ${JUNE} group by (start_time at time zone 'UTC')::date) d
    where rated > 0`.execute(warehouse.db)
  expect(of('Audio')).toMatchObject({
    'Days with ratings': rows[0]?.days,
    'Days within the target': rows[0]?.within,
  })
})

it('the quality report shows that Monday mornings are bad for video, hour by hour', async () => {
  const map = book.records('By hour and weekday', 'From hour')
  expect(map.length).toBeGreaterThan(8)
  const video = book
    .records('By hour and weekday', 'Weekday')
    .filter((row) => row['Video rated'] !== null && Number(row['Video rated']) > 100)
  const worst = video.toSorted((a, b) => lowOf(b) - lowOf(a)).slice(0, 2)
  expect(new Set(worst.map((row) => `${String(row.Weekday)} ${String(row['From hour'])}`))).toEqual(
    new Set(['Mon 08:00', 'Mon 09:00']),
  )
  const nine = sql`extract(isodow from start_time at time zone 'UTC') = 1
    and extract(hour from start_time at time zone 'UTC') = 9 and start_time < '2026-07-01Z'
    and start_time >= '2026-01-01Z'`
  const { rated, share } = await counted('video', nine)
  const row = video.find((one) => one.Weekday === 'Mon' && one['From hour'] === '09:00')
  expect(row).toMatchObject({ 'Video rated': rated, 'Video bad': share })
})

it('the quality report shows “too few” instead of a share for hours with few sessions', async () => {
  const { rows } = await sql<{ hour: string; rated: number }>`
    select to_char(start_time at time zone 'UTC', 'HH24:00') as hour, count(audio_quality)::int as rated
    from svc.session_reports where extract(isodow from start_time at time zone 'UTC') = 7
      and start_time < '2026-07-01Z' and start_time >= '2026-01-01Z'
    group by 1 having count(audio_quality) between 1 and 10
      and count(*) filter (where audio_quality = 'bad') = 0`.execute(warehouse.db)
  expect(rows.length).toBeGreaterThan(0)
  const map = book.records('By hour and weekday', 'From hour')
  for (const { hour } of rows)
    expect(map.find((row) => row['From hour'] === hour)?.Sun).toBe('too few')
})

it('the quality report breaks bad ratings down by telephone, size, duration and recording', async () => {
  const rows = book.records('Bad ratings crossed', 'By')
  const of = (by: string, level: string) =>
    rows.find((row) => row.By === by && row.Sessions === level) ?? {}
  const phone = await counted('audio', sql`${JUNE} and has_pstn`)
  const none = await counted('audio', sql`${JUNE} and not has_pstn`)
  expect(of('Telephone (PSTN)', 'with')).toMatchObject({ 'Audio bad': phone.share })
  expect(of('Telephone (PSTN)', 'without')).toMatchObject({ 'Audio bad': none.share })
  const low = ends(of('Telephone (PSTN)', 'with')['Audio bad, 95 %'])[0]
  expect(low).toBeGreaterThan(none.share)
  const both = await counted('audio', sql`${JUNE} and has_pstn and has_voip`)
  expect(of('Telephone and computer', 'both')).toMatchObject({ 'Audio rated': both.rated })
  const large = await counted('video', sql`${JUNE} and user_count >= 26`)
  expect(of('Participants', '26 and more')).toMatchObject({ 'Video bad': large.share })
  expect(large.share).toBeGreaterThan(0.04)
  const long = await counted('video', sql`${JUNE} and duration >= 1800 and duration < 3600`)
  expect(of('Duration', '30–60 min')).toMatchObject({ 'Video rated': long.rated })
  const recorded = await counted('audio', sql`${JUNE} and has_recording`)
  expect(of('Recording', 'recorded')).toMatchObject({ 'Audio rated': recorded.rated })
})

it('the quality report counts keys in the first group whose pattern they match', async () => {
  const groups = book.records('Key groups', 'Group')
  const sales = sql`${JUNE} and session_key like 'sales-%'`
  const { rated, bad } = await counted('audio', sales)
  expect(groups[0]).toMatchObject({
    Group: 'Sales',
    'Audio rated': rated,
    'Audio bad': bad / rated,
  })
  const alone = sql`${JUNE} and session_key like '%one-on-one' and session_key not like 'sales-%'`
  const { rows } = await sql<{ keys: number; sessions: number }>`
    select count(distinct session_key)::int as keys, count(*)::int as sessions
    from svc.session_reports where ${alone}`.execute(warehouse.db)
  expect(groups[1]).toMatchObject({
    Group: 'One-on-ones',
    'Session keys': rows[0]?.keys,
    Sessions: rows[0]?.sessions,
  })
  expect(groups.at(-1)?.Group).toBe('(in no group)')
})

it('the quality report names the day since which shared screens are worse', async () => {
  const [row] = book
    .records('Findings', 'Quality of')
    .filter((one) => one['Quality of'] === 'Screen share' && String(one.In).startsWith('since'))
  expect(row?.Verdict).toBe('worse')
  const [since = '', earliest = '', latest = ''] = String(row?.In).match(/\d{4}-\d\d-\d\d/g) ?? []
  // In the story, shared screens get worse on April 17.
  expect(earliest <= '2026-04-17' && '2026-04-17' <= latest).toBe(true)
  const { rated, bad } = await counted(
    'screen_share',
    sql`start_time >= ${`${since}Z`}::timestamptz and start_time < '2026-07-01Z'`,
  )
  expect(row).toMatchObject({ Rated: rated, Bad: bad })
})

it('the quality report marks days of the bad week that are worse than the same weekdays before', () => {
  const days = book.records('Audio by day', 'Day')
  const above = days.filter((row) => row['Against expected'] === 'above')
  const inWeek = above.filter(({ Day }) => {
    const day = Day instanceof Date ? Day.toISOString().slice(0, 10) : ''
    return day >= '2026-06-08' && day <= '2026-06-14'
  })
  expect(inWeek.length).toBeGreaterThanOrEqual(2)
  expect(above.length - inWeek.length).toBeLessThanOrEqual(1)
  for (const row of above)
    expect(Number(row['Bad share'])).toBeGreaterThan(ends(row.Expected)[1] ?? 1)
})

it('the quality report omits quiet days from the chart by day, because of their wide ranges', () => {
  const rows = book.chart(
    'Bad audio by day and what was expected, without quiet days (▲ above, ▼ below)',
  )
  expect(rows).toHaveLength(30)
  const weekend = rows.filter(([day]) =>
    ['6', '7', '13', '14'].includes(String(day).split(' ')[0] ?? ''),
  )
  expect(
    weekend.map(([, ...values]) => values.filter((value) => typeof value === 'number')),
  ).toEqual(Array.from({ length: 4 }, () => []))
  const values = rows.flatMap(([, ...own]) => own.filter((value) => typeof value === 'number'))
  const shares = rows.flatMap(([, , , share]) => (typeof share === 'number' ? [share] : []))
  expect(shares.length).toBeGreaterThan(15)
  // The axis ends at the highest value: the days use at least half of it.
  expect(Math.max(...shares)).toBeGreaterThan(Math.max(...values) / 2)
})

it('the quality report sums up keys with the same beginning, because single keys are too small', async () => {
  const map = book.records('Worst session keys', 'Keys that begin with')
  const cells = map.flatMap(({ 'Keys that begin with': _name, ...weeks }) => Object.values(weeks))
  expect(map.length).toBeGreaterThan(5)
  expect(cells.filter((cell) => cell === 'too few').length).toBeLessThanOrEqual(cells.length / 4)
  const week = sql`start_time >= '2026-06-08Z' and start_time < '2026-06-15Z'`
  const { share } = await counted('audio', sql`${week} and session_key like 'sales-emea-%'`)
  const team = map.find((row) => row['Keys that begin with'] === 'sales-emea')
  expect(team?.['2026-06-08']).toBe(share)
})
