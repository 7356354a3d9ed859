import { sql } from 'kysely'
import type { Section, TableColumn } from '../../src/core/declare/report.ts'
import { localInstant } from '../shared/local-time.ts'
import { cursorTable, namesOf } from '../shared/query.ts'
import { asRead } from '../whiteboard-audit/as-read.ts'
import { lengthOf, presentBySession } from '../whiteboard-audit/facts.ts'
import { PRESENT } from '../whiteboard-audit/people.ts'
import type { AuditSource } from '../whiteboard-audit/source.ts'

const COLUMNS: readonly TableColumn[] = [
  { name: 'start', title: 'Session began', format: 'instant' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'came', title: 'Joined', format: 'instant' },
  { name: 'went', title: 'Last seen', format: 'instant' },
  { name: 'seconds', title: 'Time present', format: 'seconds' },
  { name: 'stays', title: 'Stays', format: 'integer' },
  { name: 'open_ends', title: 'Stays without an end', format: 'integer' },
  { name: 'activities', title: 'Activities', format: 'integer' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  { name: 'id', title: 'Session ID', format: 'text' },
]

/** The sessions in which the person was seen, with the time present, all stays together. */
export function sessionsSection(source: AuditSource): Section {
  const { db, period, timeZone } = source
  const title = 'Sessions'
  const query = sql`
    select ${namesOf(COLUMNS)} from (
      select s.id, s.began, s.whiteboard_name, s.whiteboard_id,
        ${localInstant(sql`s.start_time`, timeZone)} as start,
        ${localInstant(sql`p.came`, timeZone)} as came, ${localInstant(sql`p.went`, timeZone)} as went,
        p.seconds, coalesce(p.stays, 0) as stays, coalesce(p.open_ends, 0) as open_ends,
        coalesce(a.activities, 0) as activities
      from ${source.sessions(period)} s
      left join (select session_id, sum(${lengthOf(sql`spans`)})::bigint as seconds, sum(stays)::int as stays,
          sum(open_ends)::int as open_ends, min(came) as came, max(went) as went
        from (${presentBySession(source.stays(period))}) p group by 1) p on p.session_id = s.id
      left join (select session_id, count(*)::int as activities
        from ${source.activities(period)} a group by 1) a on a.session_id = s.id) s
    order by began, id`
  const table = { title, columns: COLUMNS, empty: asRead(source, 'There is no session.') }
  const text = `${PRESENT} Here each session has its own time, also where two were at once.`
  const note = { kind: 'note', tone: 'plain', text } as const
  return { title, blocks: [note, cursorTable(db, table, query)] }
}
