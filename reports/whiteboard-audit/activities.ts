import { sql } from 'kysely'
import type { ChartBlock, Section, Table, TableColumn } from '../../src/core/define/report.ts'
import { chart, section } from '../shared/blocks.ts'
import { byBytes, countDistinct, countWhere, hex, rowCount } from '../shared/expressions.ts'
import { largestBars, omittedText } from '../shared/largest-bars.ts'
import { localInstant } from '../shared/local-time.ts'
import {
  cursorTable,
  listSection,
  orderedTable,
  type Row,
  tableColumns,
  tableOf,
} from '../shared/query.ts'
import { asFarAsRead } from './as-far-as-read.ts'
import { countable } from './scope.ts'
import type { AuditSource } from './source.ts'

/** The maximum number of boards on this sheet. The sheet Boards lists all. */
const MOST_GROUPS = 500

export interface ActivityCounts {
  byType: readonly Row[]
  byBoard: readonly Row[]
}

export async function readActivityCounts(source: AuditSource): Promise<ActivityCounts> {
  const label = sql<string>`coalesce(nullif(type, ''), '(none)')`
  const byType = await counted(source)
    .select(({ ref }) => [label.as('label'), countDistinct(ref('a.whiteboard_id')).as('boards')])
    .groupBy(label)
    .orderBy('activities', 'desc')
    .orderBy(({ fn, ref }) => fn.min(byBytes(ref('a.type'))))
    .execute()
  const byBoard = await counted(source)
    .select(({ fn, ref }) => [
      fn.max(byBytes(ref('a.whiteboard_name'))).as('name'),
      'a.whiteboard_id',
    ])
    .groupBy('a.whiteboard_id')
    .orderBy('activities', 'desc')
    .orderBy(({ ref }) => byBytes(ref('a.whiteboard_id')))
    .limit(MOST_GROUPS)
    .execute()
  return { byType, byBoard }
}

/** The columns of every grouping of activities. */
function counted({ db, activities, period }: AuditSource) {
  return db
    .selectFrom(activities(period).as('a'))
    .select(({ eb, ref }) => [
      rowCount.as('activities'),
      SHARE.as('share'),
      countWhere(eb('a.outside', '=', true)).as('outside'),
      countDistinct(ref('a.person')).as('people'),
      countDistinct(ref('a.session_id')).as('sessions'),
    ])
}

const SHARE = sql<number>`count(*)::float8 / sum(count(*)) over ()`

const COUNTS: readonly TableColumn[] = [
  { name: 'activities', title: 'Activities', format: 'integer' },
  { name: 'share', title: 'Share', format: 'percent' },
  { name: 'outside', title: 'From outside', format: 'integer' },
  { name: 'people', title: 'People', format: 'integer' },
  { name: 'sessions', title: 'Sessions', format: 'integer' },
]
const TYPE_COLUMNS: readonly TableColumn[] = [
  { name: 'label', title: 'Type', format: 'text' },
  ...COUNTS,
  { name: 'boards', title: 'Boards', format: 'integer' },
]
export const BOARD_COLUMNS: readonly TableColumn[] = [
  { name: 'name', title: 'Board', format: 'text' },
  ...COUNTS,
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
]
const PERSON_COLUMNS = tableColumns([
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
])

/** Shows activities by type, board and person. No table counts an activity twice. */
export function activitiesSection(
  source: AuditSource,
  { byType, byBoard }: ActivityCounts,
): Section {
  const empty = asFarAsRead(source, 'There are no activities.')
  const table = (title: string, all: readonly TableColumn[], rows: readonly Row[]): Table =>
    tableOf({ title, columns: countable(source, all), empty }, rows)
  const text =
    'Activities by type, board and person, the most frequent first. An activity counts at its ' +
    'own time or, if it has none, at the start of its session. People from outside have no ID, ' +
    'so people with the same name count as one person.' +
    (byBoard.length === MOST_GROUPS
      ? ` Only the ${MOST_GROUPS} boards with the most activities are shown.`
      : '')
  return section(
    'Activities',
    text,
    table('By type', TYPE_COLUMNS, byType),
    table('By board', BOARD_COLUMNS, byBoard),
    cursorTable(
      source.db,
      { title: 'By person', columns: PERSON_COLUMNS, empty },
      byPerson(source),
    ),
  )
}

function byPerson({ db, activities, period, timeZone }: AuditSource) {
  return db
    .selectFrom(activities(period).as('a'))
    .select(({ fn, ref }) => [
      fn.max(byBytes(ref('a.collaborator_name'))).as('name'),
      fn.max('a.email').as('email'),
      sql<boolean>`bool_and(${ref('a.outside')})`.as('outside'),
      rowCount.as('activities'),
      SHARE.as('share'),
      countDistinct(ref('a.whiteboard_id')).as('boards'),
      countDistinct(ref('a.session_id')).as('sessions'),
      countDistinct(ref('a.type')).as('types'),
      localInstant(fn.min('a.at'), timeZone).as('first'),
      localInstant(fn.max('a.at'), timeZone).as('last'),
    ])
    .groupBy('a.person')
    .orderBy('activities', 'desc')
    .orderBy('a.person')
}

/** Returns counts by type or board as bars. */
export function barsOf(rows: readonly Row[]): { label: string; count: number }[] {
  return rows.map(({ label, name, whiteboard_id, activities }) => ({
    label: String(label ?? name ?? whiteboard_id),
    count: Number(activities),
  }))
}

/** Charts the most frequent values; the rest is one bar, or is omitted (see `largestBars`). */
export function activityBars(
  title: string,
  counts: readonly { label: string; count: number }[],
): ChartBlock {
  const chosen = largestBars(counts, ({ count }) => count)
  const rest = chosen.others.reduce((sum, { count }) => sum + count, 0)
  const bars = [...chosen.shown, ...(rest === 0 ? [] : [{ label: 'others', count: rest }])]
  const bar = chart(
    `${title}${omittedText(chosen)}`,
    {
      type: 'bar',
      valueFormat: 'integer',
      categories: bars.map(({ label }) => label),
      series: [{ name: 'Activities', tone: 'accent', values: bars.map(({ count }) => count) }],
    },
    'half',
  )
  return { ...bar, file: title }
}

const ALL_COLUMNS = tableColumns([
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
])

/** Lists the activities with their files. */
export function allActivitiesSection(source: AuditSource): Section {
  const { db, activities, period, timeZone } = source
  const title = 'All activities'
  const shown = db
    .selectFrom(activities(period).as('a'))
    .selectAll('a')
    .select(({ ref }) => [
      localInstant(ref('a.at'), timeZone).as('time'),
      hex(ref('a.file_sha256')).as('sha256'),
      localInstant(ref('a.deadline'), timeZone).as('expires'),
      sql<string | null>`array_to_string(${ref('a.object_ids')}, ', ')`.as('objects'),
    ])
  const empty = asFarAsRead(source, 'There are no activities.')
  const table = { title, columns: ALL_COLUMNS, empty }
  return listSection(orderedTable(db, table, { rows: shown, order: ['at', 'session_id', 'id'] }))
}
