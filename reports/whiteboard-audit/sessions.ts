import { type RawBuilder, sql } from 'kysely'
import type { Section, TableColumn } from '../../src/core/declare/report.ts'
import { localInstant } from '../shared/local-time.ts'
import { cursorTable, namesOf } from '../shared/query.ts'
import { asRead } from './as-read.ts'
import { seenBySession } from './facts.ts'
import { unreadSessions } from './read-whole.ts'
import { countable } from './scope.ts'
import type { AuditSource } from './source.ts'

const COLUMNS: readonly TableColumn[] = [
  { name: 'start', title: 'Start', format: 'instant' },
  { name: 'end', title: 'End', format: 'instant' },
  { name: 'seconds', title: 'Duration', format: 'seconds' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'people', title: 'People', format: 'integer' },
  { name: 'outsiders', title: 'From outside', format: 'integer' },
  { name: 'activities', title: 'Activities', format: 'integer' },
  { name: 'read', title: 'Activities read', format: 'text', tint: 'state' },
  { name: 'stored', title: 'Files stored', format: 'integer' },
  { name: 'open', title: 'Files pending', format: 'integer' },
  { name: 'lost', title: 'Files lost', format: 'integer' },
  { name: 'deadline', title: 'Archive expires', format: 'instant' },
  { name: 'gone', title: 'Found deleted at the service', format: 'instant' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  { name: 'id', title: 'Session ID', format: 'text' },
]

/** Every session that was open at some time of the period. */
export function sessionsSection(source: AuditSource): Section {
  const title = 'Sessions'
  const text =
    'Every archived session that was open at some time of the period, in order of its start; one that ' +
    'began before the period counts on its first day, and one without a start from when somebody first ' +
    'came or did something. Activities and files are those of the period. A session that was deleted at ' +
    'the service stands as it was last.'
  const columns = countable(source, COLUMNS)
  const table = { title, columns, empty: asRead(source, 'There is no session.') }
  return {
    title,
    blocks: [
      { kind: 'note', tone: 'plain', text },
      cursorTable(source.db, table, sessionsQuery(source, columns)),
    ],
  }
}

function sessionsQuery(source: AuditSource, columns: readonly TableColumn[]): RawBuilder<unknown> {
  const { period, timeZone } = source
  return sql`
    select ${namesOf(columns)} from (
      select s.*, ${localInstant(sql`s.start_time`, timeZone)} as start,
        ${localInstant(sql`s.end_time`, timeZone)} as "end",
        ${localInstant(sql`s.expire_time`, timeZone)} as deadline,
        ${localInstant(sql`s.gone_at`, timeZone)} as gone,
        coalesce(p.people, 0) as people, coalesce(p.outsiders, 0) as outsiders,
        coalesce(p.activities, 0) as activities, coalesce(p.stored, 0) as stored,
        coalesce(p.pending, 0) as open, coalesce(p.lost, 0) as lost,
        coalesce(u.state, 'complete') as read
      from ${source.sessions(period)} s
      left join (
        select session_id, count(distinct person)::int as people,
          count(distinct person) filter (where outside)::int as outsiders,
          sum(activities)::int as activities, sum(stored)::int as stored,
          sum(pending)::int as pending, sum(lost)::int as lost
        from ${seenBySession(source)} p group by session_id) p on p.session_id = s.id
      left join ${unreadSessions(source)} u on u.id = s.id) s
    order by s.began, s.id`
}
