import { type RawBuilder, sql } from 'kysely'
import type { Period } from '../../src/core/declare/report.ts'
import { mondayOf } from '../shared/calendar.ts'
import { instantOf } from '../shared/local-time.ts'
import { queryRows, type Row } from '../shared/query.ts'
import { unreadSessions } from './read-whole.ts'
import type { AuditSource } from './source.ts'

/**
 * What is counted of a period; people by their stays and by what they did. Time present is in seconds,
 * sizes in bytes.
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
  /** Offered once, and then no longer there. */
  missing: number
  /** Activities for which the service never offered a file. */
  unoffered: number
  refused: number
  removed: number
  /** Pending files whose deadline has passed, and those whose deadline is near. */
  overdue: number
  due_soon: number
  /** Sessions that expired before their activities were ever read. */
  lapsed: number
}

/** What is counted of a day, or of a week where the period is long. */
export interface Timeline {
  /** What one point is: a day or the week that begins on its Monday. */
  step: 'day' | 'week'
  points: readonly string[]
  sessions: ReadonlyMap<string, number>
  activities: Readonly<Record<'inside' | 'outside', ReadonlyMap<string, number>>>
  people: Readonly<Record<'inside' | 'outside', ReadonlyMap<string, number>>>
}

export async function readTotals(source: AuditSource, period: Period): Promise<Totals> {
  const counts = countsOf(source)
  const [row] = await queryRows<Totals>(
    source.db,
    sql`
    with sessions as materialized (select id, whiteboard_id from ${source.sessions(period)} s),
    present as materialized (${presentBySession(source.stays(period))}),
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
  // Aggregates without groups always answer one row.
  return row as Totals
}

/** What is counted of activities and their files, each by the name of its total. */
function countsOf({ asOfMs }: AuditSource) {
  const asOf = instantOf(asOfMs)
  const total = (name: string, value: RawBuilder<unknown>) => ({ name: sql.id(name), value })
  const count = (name: string, where: RawBuilder<unknown>) =>
    total(name, sql`count(*) filter (where ${where})`)
  const states = ['stored', 'pending', 'expired', 'missing', 'refused', 'removed'] as const
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
 * Who was in which session, and when (`spans`). Two stays at once, as on two devices, count once; a stay
 * without an end counts as one, with no time.
 */
export function presentBySession(stays: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select person, session_id, bool_and(outside) as outside, max(user_name collate "C") as name,
      max(email collate "C") as email, min(whiteboard_id) as whiteboard_id, count(*)::int as stays,
      count(*) filter (where open_end)::int as open_ends, min(joined_at) as came,
      max(coalesce(left_at, joined_at)) as went, range_agg(span) as spans
    from ${stays} s group by person, session_id`
}

/** Whole seconds of times that may touch or overlap: of several sessions they are put together first. */
export function lengthOf(spans: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select round(extract(epoch from sum(upper(r) - lower(r))))::bigint from unnest(${spans}) r)`
}

/**
 * Who was in which session, and what they did there. Stays and activities may each tell of people whom the
 * other lacks, so that a person has up to a row of each for a session.
 */
export function seenBySession({ stays, activities, period }: AuditSource): RawBuilder<unknown> {
  return sql`(
    select person, outside, session_id, coalesce(whiteboard_id, '') as whiteboard_id, 0 as activities,
      0 as stored, 0 as pending, 0 as lost
    from ${stays(period)} s
    union all
    select person, outside, session_id, coalesce(whiteboard_id, ''), count(*),
      count(*) filter (where file_state = 'stored'), count(*) filter (where file_state = 'pending'),
      count(*) filter (where lost)
    from ${activities(period)} a group by 1, 2, 3, 4)`
}

export async function readTimeline(source: AuditSource): Promise<Timeline> {
  const { db, period, days } = source
  const step = days.length > MOST_DAYS ? 'week' : 'day'
  const point = step === 'day' ? sql`day` : sql`date_trunc('week', day::date)::date::text`
  const counted = async (from: RawBuilder<unknown>, what: RawBuilder<unknown>) =>
    queryRows<Point>(
      db,
      sql`select ${point} as point, false as outside, ${what} as count from ${from} x group by 1`,
    )
  const apart = async (from: RawBuilder<unknown>, what: RawBuilder<unknown>) =>
    queryRows<Point>(
      db,
      sql`select ${point} as point, outside, ${what} as count from ${from} x group by 1, 2`,
    )
  const sessions = await counted(source.sessions(period), sql`count(*)::int`)
  const activities = await apart(source.activities(period), sql`count(*)::int`)
  const seen = sql`(select day, outside, person from ${source.stays(period)} s
    union select day, outside, person from ${source.activities(period)} a)`
  const people = await apart(seen, sql`count(distinct person)::int`)
  return {
    step,
    points: step === 'day' ? days : [...new Set(days.map(mondayOf))],
    sessions: byPoint(sessions, false),
    activities: { inside: byPoint(activities, false), outside: byPoint(activities, true) },
    people: { inside: byPoint(people, false), outside: byPoint(people, true) },
  }
}

interface Point extends Row {
  point: string
  outside: boolean
  count: number
}

function byPoint(points: readonly Point[], outside: boolean): Map<string, number> {
  return new Map(
    points.filter((one) => one.outside === outside).map(({ point, count }) => [point, count]),
  )
}

/** Beyond a quarter bars would be hairs. */
const MOST_DAYS = 92
