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
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-findings-'))
})
afterAll(() => rm(directory, { recursive: true }))

type Parts = Record<'before' | 'week' | 'rest', [rated: number, bad: number]>

/** Inserts rated sessions, spread evenly over September, a week of October, and the rest of October. */
async function seed(account: string, parts: Parts): Promise<void> {
  const runId = await fixture.insertRun(warehouse, fixture.sessionRun(account))
  for (const [part, [of, bad]] of Object.entries(parts))
    await sql`
      with days as (
        select day, row_number() over (order by day) - 1 as place, count(*) over () as days
        from generate_series('2026-09-01Z'::timestamptz, '2026-10-31Z', interval '1 day') day
        where ${part} = case when day < '2026-10-01Z' then 'before'
          when day >= '2026-10-12Z' and day < '2026-10-19Z' then 'week' else 'rest' end)
      insert into svc.session_reports (account, id, session_key, start_time, end_time, duration,
        user_count, audio_quality, _raw, _hash, _first_seen_at, _changed_at, _run_id)
      select ${account}, ${part} || n, 'team-' || n % 10, day + interval '9 hours', day + interval '10 hours',
        3600, 3,
        case when n * ${bad}::int / ${of}::int > (n - 1) * ${bad}::int / ${of}::int then 'bad'
          else 'good' end,
        '{}', decode(md5(${part} || n), 'hex'), '2026-11-20T01:58:00Z', '2026-11-20T01:58:00Z', ${runId}
      from generate_series(1, ${of}::int) n join days on place = (n - 1) * days / ${of}::int`.execute(
      warehouse.db,
    )
}

async function publish(account: string): Promise<Workbook> {
  return (await published(account)).book
}

async function published(
  account: string,
  targets: Record<string, number> = {},
): Promise<{ book: Workbook; page: string }> {
  const settings = { targets }
  const wanted = { report: sessionQuality, account, params: { month: '2026-10' }, settings }
  const { files } = await publishReport(
    { warehouse },
    { ...wanted, timeZone: 'UTC', directory, formats: ['xlsx', 'html'] },
  )
  const path = (end: string): string => files.find((file) => file.path.endsWith(end))?.path ?? ''
  return { book: await readWorkbook(path('.xlsx')), page: await readFile(path('.html'), 'utf8') }
}

it('the quality report finds 57 bad of 1,187 against 68 of 3,997, with size and interval', async () => {
  await seed('found', { before: [5_000, 90], week: [1_187, 57], rest: [3_997, 68] })
  const book = await publish('found')
  expect(book.notes('Summary')[0]).toBe(
    'Audio was bad in 1 of 21 sessions in the week of October 12 (1 of 59 otherwise): ' +
      'ask what changed that week.',
  )
  const [first, ...others] = book.records('Findings', 'Quality of')
  expect(first).toMatchObject({ In: 'week of 2026-10-12', Verdict: 'worse', Bad: 57, Rated: 1_187 })
  expect(first).toMatchObject({ 'Rated there': 3_997, 'Bad there': 68 })
  // Computed by hand with the methods of Wilson and Newcombe; days differ only by chance.
  expect(first).toMatchObject({
    'Bad share, 95 %': '3.7–6.2 %',
    'Bad share there, 95 %': '1.3–2.2 %',
    'Difference, 95 %': '+1.9 to +4.5 pp',
  })
  // Of 1,187 sessions 20.2 would be bad by the share of the others.
  expect(Number(first?.['More bad in the month'])).toBeCloseTo(36.8, 1)
  // The month, a level shift, the weeks beside the bad one, and the worst weekday. Kinds without ratings are
  // not tested.
  expect(others).toHaveLength(7)
  expect(others.every(({ Verdict }) => Verdict !== 'worse')).toBe(true)
})

it('the quality report sums up a worse or better month in one sentence, without its weeks', async () => {
  await seed('worse', { before: [4_000, 40], week: [900, 36], rest: [3_100, 124] })
  const book = await publish('worse')
  // The shift is dated to the first day of the month, and compares all days before and since.
  expect(book.notes('Summary')).toEqual([
    'Audio was bad in 1 of 25 sessions since October 1 (1 of 100 before): ' +
      'ask what changed around that day.',
    CLOSING,
  ])
  expect(book.cells('Summary').flat()).toContain('→ Findings')
  const found = book.records('Findings', 'Quality of').filter(({ Verdict }) => Verdict === 'worse')
  expect(found).toHaveLength(2)
  expect(found.find(({ In }) => In === '2026-10')).toMatchObject({ Bad: 160, Rated: 4_000 })
  expect(found.map(({ In }) => In).join()).toMatch(
    /since 2026-10-01 \(95 %: 2026-09-\d\d to 2026-10-\d\d\)/,
  )
  await seed('better', { before: [4_000, 160], week: [900, 9], rest: [3_100, 31] })
  const better = await published('better')
  expect(better.book.notes('Summary').slice(0, 2)).toEqual([
    'No part of October 2026 is worse than the rest: audio was bad in 1 of 100 sessions ' +
      '(1 of 25 in the months before); no targets are set to judge this by.',
    'Audio was bad in 1 of 100 sessions since October 1 (1 of 25 before): ' +
      'keep what changed then.',
  ])
  expect(better.page).toContain('note good">Audio')
})

it('the quality report finds nothing in a few sessions, even with a high share of bad ones', async () => {
  await seed('few', { before: [100, 2], week: [20, 2], rest: [80, 2] })
  expect((await publish('few')).notes('Summary')[0]).toBe(
    'No part of October 2026 is worse than the rest: audio was bad in 1 of 25 sessions ' +
      '(1 of 50 in the months before); no targets are set to judge this by.',
  )
})

it('the quality report has no positive note on a bad month whose weeks do not differ', async () => {
  await seed('all-bad', { before: [4_000, 4_000], week: [900, 900], rest: [3_100, 3_100] })
  const { book, page } = await published('all-bad')
  expect(book.notes('Summary')[0]).toContain(
    'audio was bad in all sessions (all in the months before)',
  )
  expect(page).not.toContain('note good">No part')
})

it('the quality report judges a month whose weeks do not differ by the targets', async () => {
  await seed('aimed', { before: [4_000, 160], week: [900, 36], rest: [3_100, 124] })
  const missed = await published('aimed', { audio: 0.02 })
  expect(missed.book.notes('Summary')[0]).toBe(
    'Audio was bad in 1 of 25 sessions in October 2026 (4.0 %; target: 2.0 %), hardly more in some ' +
      'than in others: begin with the worst session keys.',
  )
  expect(missed.page).toMatch(/note bad"[^>]*>Audio/)
  const met = await published('aimed', { audio: 0.05 })
  expect(met.book.notes('Summary')[0]).toMatch(
    /; the targets are met, so there is nothing to do\.$/,
  )
  expect(met.page).toContain('note good">No part')
  const close = await published('aimed', { audio: 0.038 })
  expect(close.book.notes('Summary')[0]).toMatch(/; the targets are too close to tell\.$/)
  expect(close.book.notes('Summary').join()).not.toContain('missed')
  expect(
    close.book.figure('Summary', 'Bad audio (target 3.8 %: above it, by too little to be sure)'),
  ).toBe(0.04)
})

it('the quality report calls a level good only if the month and every judgment are complete', async () => {
  const level = async (account: string, targets: Record<string, number>) => {
    const { book, page } = await published(account, targets)
    expect(page).not.toMatch(/note good">(No|As far)/)
    return book.notes('Summary').find((note) => note.includes('worse than the rest'))
  }
  await seed('unrated', { before: [4_000, 160], week: [900, 36], rest: [3_100, 124] })
  expect(await level('unrated', { audio: 0.05, video: 0.05 })).toMatch(
    /; no rating of video can be compared with a target\.$/,
  )
  // 160 of 4,000 are bad. If the 100 unknown ratings are bad too, the share is 6.5 %.
  await seed('unknown', { before: [4_000, 160], week: [900, 36], rest: [3_100, 124] })
  await sql`update svc.session_reports set audio_quality = 'excellent' where account = 'unknown'
    and audio_quality = 'good' and id like 'rest%7' and length(id) < 8`.execute(warehouse.db)
  expect(await level('unknown', { audio: 0.05 })).toMatch(/; the targets are too close to tell\.$/)
  await seed('lacking', { before: [4_000, 160], week: [900, 36], rest: [3_100, 124] })
  await sql`update callsheet.slices set state = 'failed' where account = 'lacking'
    and slice like '2026-10-11%'`.execute(warehouse.db)
  expect(await level('lacking', { audio: 0.05 })).toMatch(/; the targets are met so far\.$/)
})

it('the quality report reports that a single session is too few for a finding', async () => {
  await seed('single', { before: [0, 0], week: [1, 0], rest: [0, 0] })
  const { book, page } = await published('single')
  expect(book.notes('Summary')[0]).toBe(
    'No part of October 2026 is worse than the rest: audio was bad in no sessions ' +
      '(95 %: 0.0–79.3 %); these are too few sessions to tell.',
  )
  expect(page).not.toContain('note good">No part')
})

it('the quality report accepts ratings in any letter case, and names unknown ones', async () => {
  await seed('spelled', { before: [0, 0], week: [100, 10], rest: [300, 30] })
  const change = (word: string, from: string, id: string) =>
    sql`update svc.session_reports set audio_quality = ${word}
      where account = 'spelled' and audio_quality = ${from} and id like ${id}`.execute(warehouse.db)
  await change('BAD', 'bad', 'week%')
  await change('Good', 'good', 'week%')
  await change('excellent', 'good', 'rest%7')
  const book = await publish('spelled')
  const [level, unknown] = book.notes('Summary')
  expect(level).toContain('audio was bad in 1 of 9 sessions (95 %: 8.0–14.4 %)')
  expect(unknown).toBe('30 ratings are not known and counted as none: “excellent”.')
})

const CLOSING =
  'The service may still add late sessions and ratings to 2026-10 until 2026-12-06; ' +
  'to include them, create the report again then.'
