import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import { publishReport } from '../../src/engine/publish-report.ts'
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

/** Sets something of the n-th session of October. */
async function setOf(nth: number, columns: string): Promise<void> {
  await sql`update svc.session_reports set ${sql.raw(columns)} where account = 'acme' and id = (
    select id from svc.session_reports where account = 'acme' and start_time >= '2026-10-01'
    order by start_time, id offset ${nth} limit 1)`.execute(warehouse.db)
}

const figure = (book: Workbook, name: string) =>
  book.rows('Summary', '').find(([label]) => label === name)?.[1]

it('is made whatever number of participants a session says', async () => {
  await setOf(10, `user_count = 4294967295, audio_quality = 'bad'`)
  await setOf(11, `user_count = 9223372036854775807, audio_quality = 'bad', duration = 99999`)
  const book = await publish()
  const worst = book.records('Worst sessions', 'Start').map(({ Participants }) => Participants)
  expect(worst).toEqual(expect.arrayContaining([4_294_967_295, '9223372036854775807']))
  expect(Number(figure(book, 'Participants'))).toBeGreaterThan(9e18)
})
