import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import type { Report } from '../../src/core/define/report.ts'
import type { ReportFormat } from '../../src/core/define/report-format.ts'
import { type PublishedReport, publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as fixture from './whiteboard-fixture.ts'
import { readWorkbook, type Workbook } from './workbook.ts'

/** A warehouse with archives, and functions that make reports about October from them. */
export interface AuditWorld {
  warehouse: Warehouse
  seed(account: string, run?: Partial<fixture.ArchiveToInsert>): Promise<void>
  publish(
    account: string,
    params?: object,
    formats?: readonly ReportFormat[],
  ): Promise<PublishedReport>
  audit(account: string, params?: object): Promise<Workbook>
  /** The result of a query that returns one number. */
  counted(query: RawBuilder<unknown>): Promise<number>
}

/** Opens a world for all tests of a file; `take` receives it before the first test. */
export function useAuditWorld(
  report: Report,
  take: (world: AuditWorld) => Promise<void> | void,
): void {
  let warehouse: Warehouse
  let directory: string
  useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'callsheet-audit-'))
    const publish: AuditWorld['publish'] = (account, params = {}, formats = ['xlsx']) =>
      publishReport(
        { warehouse },
        {
          report,
          account,
          params: { ...OCTOBER_DAYS, ...params },
          timeZone: 'UTC',
          directory,
          formats,
        },
      )
    await take({
      warehouse,
      publish,
      seed: (account, run = {}) => seed(warehouse, account, run),
      async audit(account, params) {
        const { files } = await publish(account, params)
        return readWorkbook(files[0]?.path ?? '')
      },
      async counted(query) {
        const { rows } = await sql<{ n: number }>`select (${query})::int as n`.execute(warehouse.db)
        return rows[0]?.n ?? -1
      },
    })
  })
  afterAll(() => rm(directory, { recursive: true }))
}

/** Inserts the archives of an account, with the run that read them. */
export async function seed(
  warehouse: Warehouse,
  account: string,
  run: Partial<fixture.ArchiveToInsert> = {},
): Promise<void> {
  await fixture.insertArchive(warehouse, { account, runId: 0 })
  const runId = await fixture.insertArchiveRun(warehouse, { account, ...run })
  for (const table of ['whiteboard_sessions', 'whiteboard_participants', 'whiteboard_activities'])
    await sql`update ${sql.id('svc', table)} set _run_id = ${runId} where account = ${account}`.execute(
      warehouse.db,
    )
}

const OCTOBER_DAYS = { from: '2026-10-01', to: '2026-10-31' }

/** SQL conditions: an activity in October, and a session that overlaps October (`OPEN`), both in UTC. */
export const OCTOBER = sql`create_time >= '2026-10-01Z' and create_time < '2026-11-01Z'`
export const OPEN = sql`start_time < '2026-11-01Z' and end_time >= '2026-10-01Z'`

export function total(records: readonly Record<string, unknown>[], column: string): number {
  return records.reduce((sum, record) => sum + Number(record[column]), 0)
}
