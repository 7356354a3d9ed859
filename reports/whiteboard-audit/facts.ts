import { type RawBuilder, sql } from 'kysely'
import type { Period } from '../../src/core/report.ts'
import { mondayOf } from '../shared/calendar.ts'
import { queryRows, type Row } from '../shared/query.ts'
import type { AuditSource } from './source.ts'

/** What is counted of a period. Time present is in seconds, sizes in bytes. */
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
  const { db, asOfMs } = source
  const asOf = sql`${new Date(asOfMs).toISOString()}::timestamptz`
  const files = (where: RawBuilder<unknown>) => sql`count(*) filter (where ${where})::int`
  const inState = (state: string) => files(sql`file_state = ${state}`)
  const pending = sql`file_state = 'pending'`
  const [row] = await queryRows<Totals>(
    db,
    sql`
    with sessions as (select count(*)::int as sessions, count(distinct whiteboard_id)::int as boards
        from ${source.sessions(period)} s),
    present as materialized (${presentBySession(source.stays(period))}),
    people as (select count(distinct person)::int as people,
        count(distinct person) filter (where outside)::int as outsiders,
        count(distinct session_id) filter (where outside)::int as sessions_with_outsiders,
        coalesce(sum(seconds), 0)::bigint as seconds, coalesce(sum(open_ends), 0)::int as open_ends
      from present p),
    done as (select count(*)::int as activities, ${files(sql`outside`)} as outside_activities,
        ${inState('stored')} as stored, ${inState('pending')} as pending,
        ${inState('expired')} as expired, ${files(sql`file_state = 'missing' and lost`)} as missing,
        ${files(sql`file_state = 'missing' and not lost`)} as unoffered,
        ${inState('refused')} as refused, ${inState('removed')} as removed,
        coalesce(sum(file_size) filter (where file_state = 'stored'), 0)::bigint as stored_bytes,
        ${files(sql`${pending} and deadline <= ${asOf}`)} as overdue,
        ${files(sql`${pending} and deadline > ${asOf}
          and deadline <= ${asOf} + interval '7 days'`)} as due_soon
      from ${source.activities(period)} a)
    select * from sessions, people, done`,
  )
  // Aggregates without groups always answer one row.
  return row as Totals
}

/**
 * Who was in which session for how long. Two stays at once, as on two devices, count once; a stay without
 * an end counts as one, with no time.
 */
export function presentBySession(stays: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select person, session_id, outside, name, email, whiteboard_id, stays, open_ends, came, went,
      (select round(extract(epoch from sum(upper(r) - lower(r))))::bigint
        from unnest(spans) r) as seconds
    from (
      select person, session_id, bool_and(outside) as outside, max(user_name collate "C") as name,
        max(email collate "C") as email, min(whiteboard_id) as whiteboard_id, count(*)::int as stays,
        count(*) filter (where open_end)::int as open_ends, min(joined_at) as came,
        max(coalesce(left_at, joined_at)) as went, range_agg(span) as spans
      from ${stays} s group by person, session_id) s`
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
  const people = await apart(source.stays(period), sql`count(distinct person)::int`)
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
