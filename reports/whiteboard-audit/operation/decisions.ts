import { sql } from 'kysely'
import type { Table } from '../../../src/core/define/report.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../../../src/resources/whiteboard-archives.ts'
import { instantOf, localInstant } from '../../shared/local-time.ts'
import { cursorTable, type Row, tableColumns } from '../../shared/query.ts'
import type { AuditSource } from '../source.ts'

const COLUMNS = tableColumns([
  { name: 'what', title: 'What', format: 'text' },
  { name: 'name', title: 'Name', format: 'text' },
  { name: 'about', title: 'About', format: 'text' },
  { name: 'since', title: 'Since', format: 'instant' },
  { name: 'until', title: 'Until', format: 'instant' },
  { name: 'placed_by', title: 'Placed by', format: 'text' },
  { name: 'released', title: 'Released', format: 'instant' },
  { name: 'released_by', title: 'Released by', format: 'text' },
  { name: 'reason', title: 'Reason', format: 'text' },
])

/**
 * Lists legal holds that were valid during the period, and deletions that were held back before its end and
 * approved after its start. A board filter only omits holds that name another board.
 */
export function decisionsTable({ db, account, period, params, timeZone }: AuditSource): Table {
  const [from, to] = [instantOf(period.fromMs), instantOf(period.toMs)]
  const board = params.whiteboard ?? null
  const local = (name: string) => localInstant(sql.ref<string | null>(name), timeZone)
  const query = sql<Row>`
    select 'legal hold' as what, name,
      coalesce('session ' || session_id, 'board ' || whiteboard_id, 'everything') as about,
      ${local('begins_at')} as since, ${local('ends_at')} as until, placed_by,
      ${local('released_at')} as released, released_by, reason
    from callsheet.holds
    where account = ${account} and begins_at < ${to}
      and coalesce(least(released_at, ends_at), 'infinity') >= ${from}
      and (whiteboard_id is null or whiteboard_id = coalesce(${board}::text, whiteboard_id))
    union all
    select 'approved deletion', stream, missing || ' of ' || owned || ' rows not listed by run ' || run_id,
      ${local('at')}, null, null, ${local('approved_at')}, null, null
    from callsheet.deletion_guards
    where account = ${account} and at < ${to} and approved_at >= ${from}
      and stream = any(${STREAMS}::text[])
    order by since, what, name`
  return cursorTable(
    db,
    { title: 'Holds and releases', columns: COLUMNS, empty: 'There are none.' },
    query,
  )
}

const STREAMS = [whiteboardSessions, whiteboardParticipants, whiteboardActivities].map(
  ({ name }) => name,
)
