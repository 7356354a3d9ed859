import { sql } from 'kysely'
import numberInventory from '../../reports/number-inventory.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { readSheets, type Sheets } from './read-sheets.ts'

/** The sheets of the inventory from the runs that had ended by an instant. */
export async function readInventory(
  warehouse: Warehouse,
  { settings, endedBy }: { settings?: Record<string, unknown>; endedBy?: string },
  account = 'hand',
): Promise<Sheets> {
  return await readSheets(warehouse, {
    report: numberInventory,
    account,
    params: {},
    timeZone: 'UTC',
    ...(settings === undefined ? {} : { settings }),
    ...(endedBy === undefined ? {} : { endedByMs: Date.parse(endedBy) }),
  })
}

export interface Inserted {
  at: string
  run: number
}

/** Inserts a row as a run does. */
export async function insertRow(
  { db }: Warehouse,
  [stream, row]: readonly [stream: string, row: Readonly<Record<string, unknown>>],
  { at, run }: Inserted,
): Promise<void> {
  const all = {
    account: 'hand',
    ...row,
    _raw: '{}',
    _hash: Buffer.from([0]),
    _first_seen_at: at,
    _changed_at: at,
    _run_id: run,
  }
  const names = Object.keys(all).map((name) => sql.id(name))
  await sql`insert into ${sql.id('svc', stream)} (${sql.join(names)})
    values (${sql.join(Object.values(all))})`.execute(db)
}

/** Marks rows as deleted, as a run does. */
export async function endRows(
  { db }: Warehouse,
  [stream, column, value]: readonly [stream: string, column: string, value: string],
  { at, run }: Inserted,
): Promise<void> {
  const found = sql`account = 'hand' and ${sql.id(column)} = ${value}`
  await sql`insert into ${sql.id('history', stream)}
    select r.*, _changed_at, ${at}, ${run}, 'deleted' from ${sql.id('svc', stream)} r
    where ${found}`.execute(db)
  await sql`update ${sql.id('svc', stream)} set _deleted_at = ${at}, _deleted_run_id = ${run}
    where ${found}`.execute(db)
}
