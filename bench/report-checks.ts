import { readFileSync } from 'node:fs'
import ExcelJS from 'exceljs'
import { sql } from 'kysely'
import type { Warehouse } from '../src/warehouse/connect.ts'
import { lastRow } from './last-row.ts'
import { REPORT_ACCOUNT, REPORT_MONTH } from './report-rows.ts'

/** A total of the sheet beside the same by a plain statement over the tables. */
export interface Check {
  what: string
  sheet: number
  sql: number
}

export async function checkSessionQuality(warehouse: Warehouse, path: string): Promise<Check[]> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.readFile(path)
  const { rows } = await sql<Record<'sessions' | 'bad' | 'users' | 'long', number>>`
    select count(*)::int as sessions, count(*) filter (where audio_quality = 'bad')::int as bad,
      sum(user_count)::int as users, count(*) filter (where duration >= 3600 and duration < 7200)::int as long
    from svc.session_reports
    where account = ${REPORT_ACCOUNT} and start_time >= ${`${REPORT_MONTH}-01`}::timestamptz
      and start_time < ${`${REPORT_MONTH}-01`}::timestamptz + interval '1 month'`.execute(
    warehouse.db,
  )
  const truth = rows[0] ?? { sessions: -1, bad: -1, users: -1, long: -1 }
  const cell = (sheet: string, first: string, column: number): number => {
    let found = Number.NaN
    workbook.getWorksheet(sheet)?.eachRow((row) => {
      if (row.getCell(1).value === first && Number.isNaN(found))
        found = Number(row.getCell(column).value)
    })
    return found
  }
  let [days, badDays] = [0, 0]
  workbook.getWorksheet('Audio by day')?.eachRow((row) => {
    if (!(row.getCell(1).value instanceof Date)) return
    days += Number(row.getCell(3).value)
    badDays += Number(row.getCell(8).value)
  })
  return [
    { what: 'sessions', sheet: cell('Summary', 'Sessions', 2), sql: truth.sessions },
    { what: 'participants', sheet: cell('Summary', 'Participants', 2), sql: truth.users },
    { what: 'bad audio', sheet: cell('Quality by month', 'Audio', 8), sql: truth.bad },
    { what: 'sessions by day', sheet: days, sql: truth.sessions },
    { what: 'bad audio by day', sheet: badDays, sql: truth.bad },
    { what: 'sessions of 1–2 h', sheet: cell('Duration and size', '1–2 h', 2), sql: truth.long },
  ]
}

/** The lists are too long to be read cell by cell, so their rows are counted in the sheets' XML. */
export async function checkNumberInventory(warehouse: Warehouse, path: string): Promise<Check[]> {
  const zip = readFileSync(path)
  const rowsOf = (sheet: string): number => lastRow(zip, sheet) - HEADER_ROW
  const { rows } = await sql<
    Record<'numbers' | 'unassigned' | 'pending' | 'inactive' | 'consents', number>
  >`
    select count(*)::int as numbers,
      count(*) filter (where not exists (select from svc.phone_number_assignments a
        where a.account = n.account and a.phone_number_id = n.id
          and a._deleted_at is null))::int as unassigned,
      count(*) filter (where status = 'Pending')::int as pending,
      count(*) filter (where exists (select from svc.phone_number_assignments a
        join svc.users u on u.account = a.account and u.id = a.assigned_to_id and u.status = 'inactive'
        where a.account = n.account and a.phone_number_id = n.id and a._deleted_at is null))::int as inactive,
      (select count(*)::int from svc.sms_consent_numbers where account = ${REPORT_ACCOUNT}) as consents
    from svc.phone_numbers n where account = ${REPORT_ACCOUNT} and _deleted_at is null`.execute(
    warehouse.db,
  )
  const truth = rows[0] ?? { numbers: -1, unassigned: -1, pending: -1, inactive: -1, consents: -1 }
  return [
    { what: 'rows of All numbers', sheet: rowsOf('All numbers'), sql: truth.numbers },
    { what: 'rows of Unassigned', sheet: rowsOf('Unassigned'), sql: truth.unassigned },
    // The numbers come in blocks of a hundred, of which the last number of all stands alone.
    { what: 'rows of Ranges', sheet: rowsOf('Ranges'), sql: truth.numbers / 100 },
    { what: 'rows of Pending', sheet: rowsOf('Pending'), sql: truth.pending },
    { what: 'rows of Inactive users', sheet: rowsOf('Inactive users'), sql: truth.inactive },
    { what: 'rows of SMS consents', sheet: rowsOf('SMS consents'), sql: truth.consents },
  ]
}

/** Title, subtitle, links, a note and an empty row come before the header. */
const HEADER_ROW = 6
