import { type RawBuilder, sql } from 'kysely'
import type { ChartBlock, Section, Table, TableColumn } from '../../src/core/declare/report.ts'
import { localInstant } from '../shared/local-time.ts'
import { cellsOf, cursorTable, namesOf, queryRows, type Row } from '../shared/query.ts'
import { asRead } from './as-read.ts'
import { countable } from './scope.ts'
import type { AuditSource } from './source.ts'

/** So many boards and people stand on the sheet; all of them are under Participants and Boards. */
const MOST_GROUPS = 500

export interface ActivityCounts {
  byType: readonly Row[]
  byBoard: readonly Row[]
}

export async function readActivityCounts(source: AuditSource): Promise<ActivityCounts> {
  const { db, period } = source
  const counts = sql`count(*)::int as activities,
    count(*)::float8 / sum(count(*)) over () as share,
    count(*) filter (where outside)::int as outside, count(distinct person)::int as people,
    count(distinct session_id)::int as sessions`
  const byType = await queryRows(
    db,
    sql`
    select coalesce(nullif(type, ''), '(none)') as label, count(distinct whiteboard_id)::int as boards,
      ${counts}
    from ${source.activities(period)} a group by 1 order by activities desc, min(type collate "C")`,
  )
  const byBoard = await queryRows(
    db,
    sql`
    select max(whiteboard_name collate "C") as name, whiteboard_id, ${counts}
    from ${source.activities(period)} a group by whiteboard_id
    order by activities desc, whiteboard_id collate "C" limit ${MOST_GROUPS}`,
  )
  return { byType, byBoard }
}

const COUNTS: readonly TableColumn[] = [
  { name: 'activities', title: 'Activities', format: 'integer' },
  { name: 'share', title: 'Share', format: 'percent' },
  { name: 'outside', title: 'by people from outside', format: 'integer' },
  { name: 'people', title: 'People', format: 'integer' },
  { name: 'sessions', title: 'Sessions', format: 'integer' },
]
export const TYPE_COLUMNS: readonly TableColumn[] = [
  { name: 'label', title: 'Type', format: 'text' },
  ...COUNTS,
  { name: 'boards', title: 'Boards', format: 'integer' },
]
export const BOARD_COLUMNS: readonly TableColumn[] = [
  { name: 'name', title: 'Board', format: 'text' },
  ...COUNTS,
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
]
const PERSON_COLUMNS: readonly TableColumn[] = [
  { name: 'name', title: 'Person', format: 'text' },
  { name: 'activities', title: 'Activities', format: 'integer' },
  { name: 'share', title: 'Share', format: 'percent' },
  { name: 'boards', title: 'Boards', format: 'integer' },
  { name: 'sessions', title: 'Sessions', format: 'integer' },
  { name: 'types', title: 'Types', format: 'integer' },
  { name: 'first', title: 'First', format: 'instant' },
  { name: 'last', title: 'Last', format: 'instant' },
  { name: 'outside', title: 'From outside', format: 'boolean' },
  { name: 'email', title: 'E-mail', format: 'text' },
]

/** What was done, by kind, board and person: each activity counts once in every table. */
export function activitiesSection(
  source: AuditSource,
  { byType, byBoard }: ActivityCounts,
): Section {
  const empty = asRead(source, 'There is no activity.')
  const table = (title: string, all: readonly TableColumn[], rows: readonly Row[]): Table => {
    const columns = countable(source, all)
    return { kind: 'table', title, columns, rows: rows.map((row) => cellsOf(columns, row)), empty }
  }
  const text =
    'An activity counts at its own time, by the service’s clock. People from outside have no ID in the ' +
    'record, so that those of one name count as one person.' +
    (byBoard.length === MOST_GROUPS ? ` The ${MOST_GROUPS} boards with most activities.` : '')
  return {
    title: 'Activities',
    blocks: [
      { kind: 'note', tone: 'plain', text },
      table('By type', TYPE_COLUMNS, byType),
      table('By board', BOARD_COLUMNS, byBoard),
      cursorTable(
        source.db,
        { title: 'By person', columns: PERSON_COLUMNS, empty },
        byPerson(source),
      ),
    ],
  }
}

function byPerson({ activities, period, timeZone }: AuditSource): RawBuilder<unknown> {
  return sql`
    select max(collaborator_name collate "C") as name, max(email) as email,
      bool_and(outside) as outside, count(*)::int as activities,
      count(*)::float8 / sum(count(*)) over () as share,
      count(distinct whiteboard_id)::int as boards, count(distinct session_id)::int as sessions,
      count(distinct type)::int as types, ${localInstant(sql`min(at)`, timeZone)} as first,
      ${localInstant(sql`max(at)`, timeZone)} as last
    from ${activities(period)} a group by person order by activities desc, person`
}

/** Counts by type or by board, as bars. */
export function barsOf(rows: readonly Row[]): { label: string; count: number }[] {
  return rows.map(({ label, name, whiteboard_id, activities }) => ({
    label: String(label ?? name ?? whiteboard_id),
    count: Number(activities),
  }))
}

const MOST_BARS = 12

/** The most frequent ones; the rest of them is one bar. */
export function activityBars(
  title: string,
  counts: readonly { label: string; count: number }[],
): ChartBlock {
  const rest = counts.slice(MOST_BARS).reduce((sum, { count }) => sum + count, 0)
  const bars = [
    ...counts.slice(0, MOST_BARS),
    ...(rest === 0 ? [] : [{ label: 'others', count: rest }]),
  ]
  return {
    kind: 'chart',
    title,
    width: 'half',
    chart: {
      type: 'bar',
      valueFormat: 'integer',
      categories: bars.map(({ label }) => label),
      series: [{ name: 'Activities', tone: 'accent', values: bars.map(({ count }) => count) }],
    },
  }
}

const ALL_COLUMNS: readonly TableColumn[] = [
  { name: 'time', title: 'Time', format: 'instant' },
  { name: 'type', title: 'Type', format: 'text' },
  { name: 'collaborator_name', title: 'Person', format: 'text' },
  { name: 'email', title: 'E-mail', format: 'text' },
  { name: 'outside', title: 'From outside', format: 'boolean' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'content', title: 'Content', format: 'text' },
  { name: 'file_state', title: 'File', format: 'text', tint: 'state' },
  { name: 'sha256', title: 'SHA-256 of the file', format: 'text' },
  { name: 'file_size', title: 'Bytes', format: 'integer' },
  { name: 'file_reason', title: 'Why not stored', format: 'text' },
  { name: 'expires', title: 'Archive expires', format: 'instant' },
  { name: 'objects', title: 'Objects', format: 'text' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  { name: 'session_id', title: 'Session ID', format: 'text' },
  { name: 'id', title: 'Activity ID', format: 'text' },
  { name: 'user_id', title: 'User ID', format: 'text' },
  { name: 'collaborator_id', title: 'Collaborator ID', format: 'text' },
]

/** The record itself, with each activity's file beside it. */
export function allActivitiesSection(source: AuditSource): Section {
  const { db, period, timeZone } = source
  const title = 'All activities'
  const query = sql`
    select ${namesOf(ALL_COLUMNS)} from (
      select a.*, ${localInstant(sql`a.at`, timeZone)} as time,
        encode(a.file_sha256, 'hex') as sha256,
        ${localInstant(sql`a.deadline`, timeZone)} as expires,
        array_to_string(a.object_ids, ', ') as objects
      from ${source.activities(period)} a) a
    order by a.at, a.session_id, a.id`
  const empty = asRead(source, 'There is no activity.')
  const table = { title, columns: ALL_COLUMNS, empty }
  return { title, detail: true, blocks: [cursorTable(db, table, query)] }
}
