import { sql } from 'kysely'
import type { Table } from '../../../src/core/define/report.ts'
import { whiteboardCollaborators } from '../../../src/resources/whiteboard-collaborators.ts'
import { localInstant } from '../../shared/local-time.ts'
import { cursorTable, idsOf, tableColumns } from '../../shared/query.ts'
import { asFarAsRead } from '../as-far-as-read.ts'
import { type BoardsSource, knownBoards } from '../board-rows.ts'
import type { Unusual } from './judge.ts'

const COLUMNS = tableColumns([
  { name: 'name', title: 'Name', format: 'text' },
  { name: 'first', title: 'First seen', format: 'instant' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'activities', title: 'Activities in the period', format: 'integer' },
  { name: 'sessions', title: 'Sessions', format: 'integer' },
  { name: 'scope', title: 'Link access', format: 'text' },
  { name: 'link_role', title: 'Link role', format: 'text' },
  { name: 'named', title: 'Board shared with the name', format: 'boolean' },
  { name: 'owner', title: 'Owner of the board', format: 'text' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  { name: 'session_id', title: 'First session ID', format: 'text' },
])

/**
 * Lists new people from outside, with each board that they reached and how it was shared. Raw SQL, because it
 * combines activities and stays.
 */
export function newcomersTable(source: BoardsSource, { newcomers, base }: Unusual): Table {
  const { activities, stays, period, timeZone, rows } = source
  const people = sql`
    select person, whiteboard_id, max(name collate "C") as name,
      max(whiteboard_name collate "C") as whiteboard_name, min(at) as at,
      (array_agg(session_id order by at nulls last, session_id))[1] as session_id,
      count(distinct session_id)::int as sessions, count(activity_id)::int as activities,
      array_agg(distinct collaborator_id) as ids
    from (
      select person, whiteboard_id, whiteboard_name, collaborator_name as name, at, session_id,
        id as activity_id, collaborator_id
      from ${activities(period)} a where outside
      union all
      select person, whiteboard_id, whiteboard_name, user_name, joined_at, session_id, null, null
      from ${stays(period)} s where outside) e
    where person in (select person from ${newcomers} n where day >= ${base.first})
    group by person, whiteboard_id`
  const collaborators = rows(whiteboardCollaborators)
  const table = {
    title: 'New people from outside',
    columns: COLUMNS,
    empty: asFarAsRead(
      source,
      `No new people came from outside: everyone had been there in the ${base.acquaintance} ` +
        'days before.',
    ),
  }
  return cursorTable(
    source.db,
    table,
    sql`select ${idsOf(COLUMNS)} from (
        select p.*, ${localInstant(sql`at`, timeZone)} as first, b.scope, b.link_role,
          (select max(c.collaborator_name collate "C") from ${collaborators} c
            where c.whiteboard_id = p.whiteboard_id and c.role = 0) as owner,
          exists (select from ${collaborators} c where c.whiteboard_id = p.whiteboard_id
            and c.collaborator_type = 1
            and (c.collaborator_id = any(p.ids) or c.collaborator_name = p.name)) as named
        from (${people}) p left join ${knownBoards(source)} b on b.whiteboard_id = p.whiteboard_id) p
      order by at nulls last, name, whiteboard_id`,
  )
}
