import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Warehouse } from '../src/warehouse/connect.ts'
import { lastRow } from './last-row.ts'
import type { Check } from './report-checks.ts'
import { REPORT_ACCOUNT, REPORT_MONTH } from './report-rows.ts'

/** The lists are too long to be read cell by cell, so their rows are counted in the sheets' XML. */
export async function checkAudit(warehouse: Warehouse, path: string): Promise<Check[]> {
  const zip = readFileSync(path)
  const first = sql`${`${REPORT_MONTH}-01T00:00:00Z`}::timestamptz`
  const { rows } = await sql<Record<'activities' | 'sessions' | 'stays' | 'collaborators', number>>`
    select (select count(*)::int from svc.whiteboard_activities where account = ${REPORT_ACCOUNT}
        and create_time >= ${first} and create_time < ${first} + interval '1 month') as activities,
      (select count(*)::int from svc.whiteboard_sessions where account = ${REPORT_ACCOUNT}
        and end_time >= ${first} and start_time < ${first} + interval '1 month') as sessions,
      (select count(*)::int from svc.whiteboard_participants p join svc.whiteboard_sessions s
          on s.account = p.account and s.id = p.session_id
        where p.account = ${REPORT_ACCOUNT} and end_time >= ${first}
          and start_time < ${first} + interval '1 month') as stays,
      (select count(*)::int from svc.whiteboard_collaborators
        where account = ${REPORT_ACCOUNT}) as collaborators`.execute(warehouse.db)
  const truth = rows[0] ?? { activities: -1, sessions: -1, stays: -1, collaborators: -1 }
  const listed = (sheet: string, by: number, header = 4): Check => ({
    what: `rows of ${sheet}`,
    sheet: lastRow(zip, sheet) - header,
    sql: by,
  })
  return [
    listed('All activities', truth.activities),
    listed('All stays', truth.stays),
    listed('All collaborators', truth.collaborators),
    // A note and an empty row come before the header.
    listed('Sessions', truth.sessions, 6),
  ]
}
