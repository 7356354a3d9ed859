import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { neverRead, note, section } from '../shared/blocks.ts'
import { rowCount, sum } from '../shared/expressions.ts'
import { localInstant } from '../shared/local-time.ts'
import { orderedTable, type Row, tableColumns, tableOf } from '../shared/query.ts'
import { type ActivityCounts, BOARD_COLUMNS, TYPE_COLUMNS } from '../whiteboard-audit/activities.ts'
import { asFarAsRead } from '../whiteboard-audit/as-far-as-read.ts'
import { eachTable } from '../whiteboard-audit/collaborators.ts'
import { lengthOf, presentBySession } from '../whiteboard-audit/facts.ts'
import { PRESENT } from '../whiteboard-audit/people.ts'
import type { AuditSource } from '../whiteboard-audit/source.ts'

const COLUMNS = tableColumns([
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
])

/** Lists the sessions in which the person was seen, with the total time of all stays. */
export function sessionsSection(source: AuditSource): Section {
  const title = 'Sessions'
  const table = { title, columns: COLUMNS, empty: asFarAsRead(source, 'There are no sessions.') }
  const text = `${PRESENT} Here each session shows its own time, even if two sessions overlap.`
  const sessions = { rows: sessionsOf(source), order: ['began', 'id'] } as const
  return section(title, text, orderedTable(source.db, table, sessions))
}

function sessionsOf(source: AuditSource) {
  const { db, period, timeZone } = source
  const present = db
    .selectFrom(presentBySession(source, period).as('p'))
    .select(({ fn, ref }) => [
      'p.session_id',
      sql<number | null>`sum(${lengthOf(ref('p.spans'))})::bigint`.as('seconds'),
      sum(ref('p.stays')).as('stays'),
      sum(ref('p.open_ends')).as('open_ends'),
      fn.min('p.came').as('came'),
      fn.max('p.went').as('went'),
    ])
    .groupBy('p.session_id')
  const acted = db
    .selectFrom(source.activities(period).as('a'))
    .select(['a.session_id', rowCount.as('activities')])
    .groupBy('a.session_id')
  return db
    .selectFrom(source.sessions(period).as('s'))
    .leftJoin(present.as('p'), 'p.session_id', 's.id')
    .leftJoin(acted.as('a'), 'a.session_id', 's.id')
    .select(['s.id', 's.began', 's.whiteboard_name', 's.whiteboard_id', 'p.seconds'])
    .select(({ fn, lit, ref }) => [
      localInstant(ref('s.start_time'), timeZone).as('start'),
      localInstant(ref('p.came'), timeZone).as('came'),
      localInstant(ref('p.went'), timeZone).as('went'),
      fn.coalesce('p.stays', lit(0)).as('stays'),
      fn.coalesce('p.open_ends', lit(0)).as('open_ends'),
      fn.coalesce('a.activities', lit(0)).as('activities'),
    ])
}

/** Shows the person's activities, by type and by board. Each activity counts once in both tables. */
export function doneSection(source: AuditSource, { byType, byBoard }: ActivityCounts): Section {
  const table = (title: string, all: typeof TYPE_COLUMNS, rows: readonly Row[]) => {
    const columns = all.filter(({ name }) => name !== 'outside' && name !== 'people')
    const empty = asFarAsRead(source, 'There are no activities.')
    return tableOf({ title, columns, empty }, rows)
  }
  return {
    title: 'Activities',
    blocks: [table('By type', TYPE_COLUMNS, byType), table('By board', BOARD_COLUMNS, byBoard)],
  }
}

/** Lists the boards that are shared with the person by name. */
export function sharedSection(source: AuditSource): Section {
  const title = 'Boards shared with them'
  if (source.runId(whiteboardCollaborators) === undefined)
    return {
      title,
      blocks: [
        note('warning', neverRead('The collaborators of boards were', { job: 'whiteboards' })),
      ],
    }
  const text =
    'Boards that are shared with this person by name, whether or not they were used in the ' +
    'period. Other boards may be open to the person by link or through a channel.'
  const table = { title, empty: 'No boards are shared with them by name.' }
  return section(title, text, eachTable(source, table))
}
