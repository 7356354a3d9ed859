import { mkdtemp, rm } from 'node:fs/promises'
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
  directory = await mkdtemp(join(tmpdir(), 'callsheet-odd-'))
  const runId = await fixture.insertRun(warehouse, fixture.sessionRun('acme'))
  await fixture.insertSessions(warehouse, { account: 'acme', runId, perDay: 10 })
})
afterAll(() => rm(directory, { recursive: true }))

async function publish(): Promise<Workbook> {
  const wanted = { report: sessionQuality, account: 'acme', params: { month: '2026-10' } }
  const { files } = await publishReport(
    { warehouse },
    { ...wanted, timeZone: 'UTC', directory, formats: ['xlsx'] },
  )
  return readWorkbook(files[0]?.path ?? '')
}

/** Sets columns of the n-th session of October. */
async function setOf(nth: number, columns: string): Promise<void> {
  await sql`update svc.session_reports set ${sql.raw(columns)} where account = 'acme' and id = (
    select id from svc.session_reports where account = 'acme' and start_time >= '2026-10-01'
    order by start_time, id offset ${nth} limit 1)`.execute(warehouse.db)
}

async function count(what: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select (${sql.raw(what)})::float8 as n
    from svc.session_reports where account = 'acme'
      and start_time >= '2026-10-01' and start_time < '2026-11-01'`.execute(warehouse.db)
  return rows[0]?.n ?? -1
}

const figure = (book: Workbook, name: string) =>
  book.rows('Summary', '').find(([label]) => label === name)?.[1]

it('the quality report counts sessions without a valid length or size as “not given”', async () => {
  const whole = await publish()
  expect(whole.records('Duration and size', 'Duration').map(({ Duration }) => Duration)).toEqual([
    'under 5 min',
    '5–15 min',
    '15–30 min',
    '30–60 min',
    '1–2 h',
    '2 h and more',
  ])
  const hours = Number(figure(whole, 'Hours in sessions'))
  const [nth, later] = [3, 4]
  const taken = await count(`sum(duration) filter (where id in (select id from svc.session_reports
    where account = 'acme' and start_time >= '2026-10-01' order by start_time, id
    offset ${nth} limit 2))`)
  await setOf(nth, 'duration = null, end_time = null, user_count = null')
  await setOf(later, `duration = null, end_time = start_time - interval '2 hours', user_count = -1`)
  const book = await publish()
  const sessions = await count('count(*)')
  for (const header of ['Duration', 'Participants']) {
    const rows = book.rows('Duration and size', header)
    const sum = (at: number) => rows.reduce((all, row) => all + Number(row[at]), 0)
    expect(sum(1)).toBe(sessions)
    expect(sum(2)).toBeCloseTo(1, 9)
    expect(rows.at(-1)?.slice(0, 2)).toEqual(['not given', 2])
  }
  expect(book.chart('Sessions by duration').at(-1)?.slice(0, 2)).toEqual(['not given', 2])
  expect(figure(book, 'Hours in sessions')).toBeCloseTo(hours - taken / 3600, 6)
  expect(figure(book, 'Participants')).toBe(
    await count('sum(user_count) filter (where user_count >= 0)'),
  )
})

it('the quality report counts a session at the start of a band within that band', async () => {
  await setOf(5, 'duration = 300, user_count = 3')
  const book = await publish()
  const inBand = (header: string, band: string) =>
    book.rows('Duration and size', header).find(([title]) => title === band)?.[1]
  expect(inBand('Duration', '5–15 min')).toBe(
    await count('count(*) filter (where duration >= 300 and duration < 900)'),
  )
  expect(inBand('Participants', '3–5')).toBe(
    await count('count(*) filter (where user_count between 3 and 5)'),
  )
})

it('the quality report counts a session without a start at its end, and reports untimed ones', async () => {
  const [before, whole] = [await count('count(*)'), await publish()]
  expect(whole.notes('Provenance').join()).not.toContain('no time on record')
  await setOf(20, 'start_time = null')
  expect([await count('count(*)'), figure(await publish(), 'Sessions')]).toEqual([
    before - 1,
    before,
  ])
  await setOf(20, 'start_time = null, end_time = null')
  const book = await publish()
  expect(figure(book, 'Sessions')).toBe(before - 1)
  expect(book.notes('Provenance')).toContain(
    '1 session has no time on record, so no month counts it.',
  )
})

it('the quality report accepts any number of participants, up to 64 bits', async () => {
  await setOf(10, `user_count = 4294967295, audio_quality = 'bad'`)
  await setOf(11, `user_count = 9223372036854775807, audio_quality = 'bad', duration = 99999`)
  const book = await publish()
  const worst = book.records('Worst sessions', 'Start').map(({ Participants }) => Participants)
  expect(worst).toEqual(expect.arrayContaining([4_294_967_295, '9223372036854775807']))
  expect(Number(figure(book, 'Participants'))).toBeGreaterThan(9e18)
})
