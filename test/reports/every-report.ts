import { reports } from '../../src/account/catalog.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { seed } from './audit-world.ts'
import * as fixture from './fixture.ts'
import { insertRecordings } from './recording-rows.ts'
import { insertBoards } from './whiteboard-fixture.ts'

export const EVERY_REPORT = reports.map(({ name }) => name)

/** The parameters of each report of the catalog, for the account of `seedEveryReport`. */
export const EVERY_PARAMS: Readonly<Record<string, Record<string, unknown>>> = {
  'whiteboard-audit': { from: '2026-10-01', to: '2026-10-31' },
  reconciliation: { day: '2026-11-20' },
}

/** Fills an account so that every report has content. */
export async function seedEveryReport(
  warehouse: Warehouse,
  { account, numbers, perDay }: { account: string; numbers: number; perDay: number },
): Promise<void> {
  const insert = (run: fixture.RunToInsert) => fixture.insertRun(warehouse, run)
  const users = await insert(fixture.usersRun(account, '2026-11-20T01:00:00Z'))
  const inventory = await insert(fixture.numbersRun(account, '2026-11-20T03:00:00Z'))
  const runIds = [users, inventory] as const
  await fixture.insertNumbers(warehouse, { account, runIds: [...runIds], count: numbers })
  const settings = await insert(fixture.settingsRun(account, '2026-11-20T03:30:00Z', ['c1', 'c2']))
  await fixture.insertConsents(warehouse, { account, runId: settings, count: 320 })
  const sessions = await insert(fixture.sessionRun(account))
  await fixture.insertSessions(warehouse, { account, runId: sessions, perDay })
  await insertRecordings(warehouse, { account, finishedAt: '2026-11-20T02:30:00Z', count: 60 })
  await seed(warehouse, account)
  await insertBoards(warehouse, account)
}
