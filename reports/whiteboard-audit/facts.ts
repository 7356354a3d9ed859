import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Period } from '../../src/core/define/report-period.ts'
import { mondayOf } from '../shared/calendar.ts'
import { byBytes, countDistinct, countWhere, rowCount } from '../shared/expressions.ts'
import { instantOf } from '../shared/local-time.ts'
import { queryRows, type Row } from '../shared/query.ts'
import { unreadSessions } from './read-whole.ts'
import type { AuditSource } from './source.ts'

/**
 * The totals of a period. People are counted by their stays and activities. Times are in seconds, sizes in
 * bytes.
 */
export interface Totals extends Row {
  sessions: number
  boards: number
  people: number
  outsiders: number
  sessions_with_outsiders: number
  seconds: number
  open_ends: number
  activities: number
  outside_activities: number
  stored: number
  stored_bytes: number
  pending: number
  expired: number
  /** The number of files that were offered once and no longer exist. */
  missing: number
  /** Activities for which the service never offered a file. */
  unoffered: number
  removed: number
  /** The number of pending files past their deadline. */
  overdue: number
  /** The number of pending files whose deadline is within seven days. */
  due_soon: number
  /** Sessions that expired before their activities were read. */
  lapsed: number
}

/** Counts by day, or by week for long periods. */
export interface Timeline {
  /** A point is a day, or a week that begins on its Monday. */
  step: 'day' | 'week'
  points: readonly string[]
  sessions: ReadonlyMap<string, number>
  activities: Readonly<Record<'inside' | 'outside', ReadonlyMap<string, number>>>
  people: Readonly<Record<'inside' | 'outside', ReadonlyMap<string, number>>>
}

/** Raw SQL, because it combines several kinds of aggregates over the same rows. */
export async function readTotals(source: AuditSource, period: Period): Promise<Totals> {
  const counts = countsOf(source)
  const [row] = await queryRows<Totals>(
    source.db,
    sql`
    with sessions as materialized (select id, whiteboard_id from ${source.sessions(period)} s),
    present as materialized (${presentBySession(source, period)}),
    acted as materialized (select person, outside, session_id,
        ${sql.join(counts.map(({ name, value }) => sql`${value} as ${name}`))}
      from ${source.activities(period)} a group by person, outside, session_id),
    seen as (select person, outside, session_id from present
      union all select person, outside, session_id from acted)
    select * from
      (select count(*)::int as sessions, count(distinct whiteboard_id)::int as boards
        from sessions) s,
      (select count(distinct person)::int as people,
          count(distinct person) filter (where outside)::int as outsiders,
          count(distinct s.id) filter (where outside)::int as sessions_with_outsiders
        from seen left join sessions s on s.id = seen.session_id) w,
      (select coalesce(sum(${lengthOf(sql`spans`)}), 0)::bigint as seconds,
          coalesce(sum(open_ends), 0)::int as open_ends
        from (select range_agg(spans) as spans, sum(open_ends) as open_ends
          from present group by person, outside) a) p,
      (select ${sql.join(counts.map(({ name }) => sql`coalesce(sum(${name}), 0)::bigint as ${name}`))}
        from acted) d,
      (select count(*)::int as lapsed from ${unreadSessions({ ...source, period })} u
        where u.lapsed and u.id in (select id from sessions)) l`,
  )
  // An aggregate without groups always returns one row.
  return row as Totals
}

/** Selects the counts of activities and their files, by the name of the total. */
function countsOf({ asOfMs }: AuditSource) {
  const asOf = instantOf(asOfMs)
  const total = (name: string, value: RawBuilder<unknown>) => ({ name: sql.id(name), value })
  const count = (name: string, where: RawBuilder<unknown>) =>
    total(name, sql`count(*) filter (where ${where})`)
  const states = ['stored', 'pending', 'expired', 'missing', 'removed'] as const
  const pending = sql`file_state = 'pending'`
  const soon = sql`deadline > ${asOf} and deadline <= ${asOf} + interval '7 days'`
  return [
    total('activities', sql`count(*)`),
    count('outside_activities', sql`outside`),
    ...states.map((state) => count(state, sql`file_state = ${state}`)),
    count('unoffered', sql`file_state = 'no file'`),
    total('stored_bytes', sql`sum(file_size) filter (where file_state = 'stored')`),
    count('overdue', sql`${pending} and deadline <= ${asOf}`),
    count('due_soon', sql`${pending} and ${soon}`),
  ]
}

/**
 * Returns who was in which session, and when (`spans`). The time of overlapping stays, as on two devices,
 * counts once. A stay without an end adds no time.
 */
export function presentBySession({ db, stays }: AuditSource, period: Period) {
  return db
    .selectFrom(stays(period).as('s'))
    .select(['s.person', 's.session_id', rowCount.as('stays')])
    .select(({ eb, fn, ref }) => [
      sql<boolean>`bool_and(${ref('s.outside')})`.as('outside'),
      fn.max(byBytes(ref('s.user_name'))).as('name'),
      fn.max(byBytes(ref('s.email'))).as('email'),
      fn.min('s.whiteboard_id').as('whiteboard_id'),
      countWhere(eb('s.open_end', '=', true)).as('open_ends'),
      fn.min('s.joined_at').as('came'),
      fn.max(fn.coalesce('s.left_at', 's.joined_at')).as('went'),
      sql<string | null>`range_agg(${ref('s.span')})`.as('spans'),
    ])
    .groupBy(['s.person', 's.session_id'])
}

/**
 * Returns the length of a multirange in whole seconds. Merge the spans of several sessions with `range_agg`
 * first, because they may overlap.
 */
export function lengthOf(spans: Expression<unknown>): RawBuilder<number | null> {
  return sql`(select round(extract(epoch from sum(upper(r) - lower(r))))::bigint from unnest(${spans}) r)`
}

/**
 * Returns who was in which session, and their activities there. Stays and activities may each name people
 * that the other lacks, so a person may have one row from each for a session.
 */
export function seenBySession({ db, stays, activities, period }: AuditSource) {
  const board = sql<string>`coalesce(whiteboard_id, '')`
  const acted = db
    .selectFrom(activities(period).as('a'))
    .select(['a.person', 'a.outside', 'a.session_id', board.as('whiteboard_id')])
    .select(({ eb, fn }) => [
      fn.countAll<number>().as('activities'),
      fn.countAll<number>().filterWhere('a.file_state', '=', 'stored').as('stored'),
      fn.countAll<number>().filterWhere('a.file_state', '=', 'pending').as('pending'),
      fn
        .countAll<number>()
        .filterWhere(eb('a.lost', '=', true))
        .as('lost'),
    ])
    .groupBy(['a.person', 'a.outside', 'a.session_id', board])
  return db
    .selectFrom(stays(period).as('s'))
    .select(['s.person', 's.outside', 's.session_id', board.as('whiteboard_id')])
    .select(
      (['activities', 'stored', 'pending', 'lost'] as const).map((name) => sql<number>`0`.as(name)),
    )
    .unionAll(acted)
}

/** Counts the people who are from outside. */
export function outsiders(person: Expression<string>): RawBuilder<number> {
  return sql`count(distinct ${person}) filter (where outside)::int`
}

export async function readTimeline(source: AuditSource): Promise<Timeline> {
  const { db, period, days } = source
  const step = days.length > MOST_DAYS ? 'week' : 'day'
  const point =
    step === 'day' ? sql<string>`day` : sql<string>`date_trunc('week', day::date)::date::text`
  const sessions = await db
    .selectFrom(source.sessions(period).as('x'))
    .select([point.as('point'), rowCount.as('count')])
    .groupBy(point)
    .execute()
  const activities = await db
    .selectFrom(source.activities(period).as('x'))
    .select([point.as('point'), 'x.outside', rowCount.as('count')])
    .groupBy([point, 'x.outside'])
    .execute()
  const acted = db
    .selectFrom(source.activities(period).as('a'))
    .select(['a.day', 'a.outside', 'a.person'])
  const seen = db
    .selectFrom(source.stays(period).as('s'))
    .select(['s.day', 's.outside', 's.person'])
    .union(acted)
  const people = await db
    .selectFrom(seen.as('x'))
    .select([point.as('point'), 'x.outside'])
    .select(({ ref }) => countDistinct(ref('x.person')).as('count'))
    .groupBy([point, 'x.outside'])
    .execute()
  return {
    step,
    points: step === 'day' ? days : [...new Set(days.map(mondayOf))],
    sessions: new Map(sessions.map((one) => [one.point, one.count])),
    activities: { inside: byPoint(activities, false), outside: byPoint(activities, true) },
    people: { inside: byPoint(people, false), outside: byPoint(people, true) },
  }
}

interface Point {
  point: string
  outside: boolean
  count: number
}

function byPoint(points: readonly Point[], outside: boolean): Map<string, number> {
  return new Map(
    points.filter((one) => one.outside === outside).map(({ point, count }) => [point, count]),
  )
}

/** The maximum number of days with a bar per day: beyond a quarter, bars would be too thin. */
const MOST_DAYS = 92
