import { type RawBuilder, sql } from 'kysely'
import type { Table } from '../../../src/core/define/report.ts'
import { localInstant } from '../../shared/local-time.ts'
import { cursorTable, idsOf, queryRows, tableColumns, tableOf } from '../../shared/query.ts'
import type { AuditSource } from '../source.ts'
import type { Unusual } from './judge.ts'
import { isNight } from './night.ts'
import { deletes } from './person-days.ts'
import type { UnusualTest } from './tests.ts'

/** The data with which findings are traced. Findings are numbered from 1. */
export interface Traced {
  source: AuditSource
  unusual: Unusual
  tests: readonly UnusualTest[]
}

/** A finding's details as recorded. */
export interface TestDetail extends Readonly<Record<string, string | number | boolean | null>> {
  number: number
  name: string | null
  email: string | null
  user_id: string | null
  outside: boolean
  first: string | null
  last: string | null
  boards: number
  board_names: string | null
  sessions: number
  activities: number
}

/** Reads the time, place and people for each test, by the test's number. */
export async function readDetails(traced: Traced): Promise<Map<number, TestDetail>> {
  if (traced.tests.length === 0) return new Map()
  const { timeZone } = traced.source
  const rows = await queryRows<TestDetail>(
    traced.source.db,
    sql`select number, ${listOf(sql`name`)} as name,
        nullif(max(email collate "C"), '') as email, nullif(max(user_id collate "C"), '') as user_id,
        bool_and(outside) as outside,
        ${localInstant(sql`min(at)`, timeZone)} as first, ${localInstant(sql`max(at)`, timeZone)} as last,
        count(distinct coalesce(whiteboard_id, ''))::int as boards,
        ${listOf(sql`whiteboard_name`)} as board_names,
        count(distinct session_id)::int as sessions, count(activity_id)::int as activities
      from (${tracesOf(traced)}) t group by number`,
  )
  return new Map(rows.map((row) => [row.number, row]))
}

/** Joins the first few different texts. */
function listOf(text: RawBuilder<unknown>): RawBuilder<string | null> {
  const all = sql`array_agg(distinct ${text} collate "C") filter (where ${text} <> '')`
  return sql`array_to_string((${all})[1:${MOST_NAMED}], ', ')
    || case when cardinality(${all}) > ${MOST_NAMED} then ' and others' else '' end`
}

const COLUMNS = tableColumns([
  { name: 'number', title: 'Finding', format: 'integer' },
  { name: 'time', title: 'Time', format: 'instant' },
  { name: 'what', title: 'What', format: 'text' },
  { name: 'name', title: 'Person', format: 'text' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'objects', title: 'Objects', format: 'text' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  { name: 'session_id', title: 'Session ID', format: 'text' },
  { name: 'activity_id', title: 'Activity ID', format: 'text' },
])

/** Lists the events of each finding, with the IDs of their sessions and activities. */
export function tracesTable(traced: Traced): Table {
  const table = {
    title: 'Events of the findings',
    columns: COLUMNS,
    empty: 'There are no findings.',
  }
  if (traced.tests.length === 0) return tableOf(table, [])
  return cursorTable(
    traced.source.db,
    table,
    sql`select ${idsOf(COLUMNS)} from (
        select t.*, ${localInstant(sql`at`, traced.source.timeZone)} as time from (${tracesOf(traced)}) t) t
      order by number, at, session_id, activity_id`,
  )
}

/**
 * Lists each deletion and each activity at night. For the other kinds, lists the first event of each person
 * on each board. Raw SQL, because it combines activities and stays.
 */
function tracesOf({ source, unusual, tests }: Traced): RawBuilder<unknown> {
  const { activities, stays, period, timeZone } = source
  const hour = sql`extract(hour from at at time zone ${timeZone})::int`
  const atNight = unusual.night === undefined ? sql`false` : isNight(hour, unusual.night)
  const wanted = tests.map(
    ({ kind, person, day }, at) =>
      sql`(${at + 1}::int, ${kind}::text, ${person ?? null}::text collate "C", ${day}::text)`,
  )
  return sql`
    with tested (number, kind, person, day) as (values ${sql.join(wanted)}),
    wanted as materialized (
      select number, kind, coalesce(t.person, n.person) as person, t.day
      from tested t left join ${unusual.newcomers} n on t.person is null and n.day = t.day),
    events as (
      select person, day, at, type as what, collaborator_name as name, email, user_id, outside,
        whiteboard_id, whiteboard_name, array_to_string(object_ids, ', ') as objects, session_id,
        id as activity_id
      from ${activities(period)} a
      union all
      select person, day, joined_at, 'joined the board', user_name, email, user_id, outside,
        whiteboard_id, whiteboard_name, null, session_id, null
      from ${stays(period)} s)
    select * from (
      select w.number, w.kind, e.*, row_number() over (partition by w.number, e.person,
        e.whiteboard_id order by e.at nulls last, e.session_id, e.activity_id) as place
      from wanted w join events e using (person, day)
      where case w.kind
        when 'deletions' then activity_id is not null and ${deletes(sql.ref('what'))}
        when 'nights' then activity_id is not null and ${atNight} else true end) t
    where place = 1 or kind in ('deletions', 'nights')`
}

const MOST_NAMED = 5
