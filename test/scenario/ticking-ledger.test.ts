import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { readWorkbook } from '../reports/workbook.ts'

let world: World
let directory: string

/** A database whose clock advances between two slices of a batch, as a real one does. */
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  directory = mkdtempSync(join(tmpdir(), 'callsheet-ticking-'))
  const { db } = world.warehouse
  await sql`create sequence callsheet.ticks`.execute(db)
  await sql`alter function callsheet.clock() rename to standing_clock`.execute(db)
  await sql`create function callsheet.clock() returns timestamptz language sql volatile as $$
    select callsheet.standing_clock() + nextval('callsheet.ticks') * interval '1 millisecond'
  $$`.execute(db)
  await world.sync({ jobs: [whiteboardArchives] })
})
afterAll(async () => {
  await world.close()
  rmSync(directory, { recursive: true })
})

it('the ledger has slices of one batch with different timestamps', async () => {
  const { rows } = await sql<{ instants: number }>`
    select count(distinct finished_at)::int as instants from callsheet.slices
    where stream = 'whiteboard_activities' group by run_id, batch order by 1 desc limit 1`.execute(
    world.warehouse.db,
  )
  expect(rows[0]?.instants).toBeGreaterThan(1)
})

it('a report of several days trusts an unchanged ledger', async () => {
  const wanted = { report: whiteboardAudit, account: 'account-0', timeZone: 'UTC' }
  const params = { from: '2026-06-08', to: '2026-06-25' }
  const made = await publishReport(world, { ...wanted, params, directory, formats: ['xlsx'] })
  const said = JSON.stringify((await readWorkbook(made.files[0]?.path ?? '')).cells('Summary'))
  expect(said).not.toContain('signed')
  expect(made.covered).toBe(true)
})
