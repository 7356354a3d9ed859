import { type RawBuilder, sql } from 'kysely'
import type { Period, ReportContext } from '../../src/core/declare/report.ts'
import {
  whiteboardActivities,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { instantOf } from '../shared/local-time.ts'
import { queryRows, type Row } from '../shared/query.ts'
import type { Listed } from './listed.ts'

type Known = Pick<ReportContext<unknown>, 'rows'> & { listed: Listed }

/**
 * The sessions that may be open at some time of a period, each with when it `began`, as a relation for
 * `from`.
 */
export function begunSessions(
  known: Known,
  { fromMs, toMs }: Omit<Period, 'label'>,
): RawBuilder<unknown> {
  const earliest = instantOf(fromMs - LONGEST_DAYS * DAY_MS)
  const within = (at: RawBuilder<unknown>) =>
    sql`${at} >= ${earliest} and ${at} < ${instantOf(toMs)}`
  return sql`(
    select s.*, s.start_time as began from ${known.listed.sessions} s where ${within(sql`s.start_time`)}
    union all
    select s.* from ${unstarted(known)} s where ${within(sql`s.began`)})`
}

/**
 * The sessions without a usable start. Each was open when somebody first came or did something in it, and
 * when it ended; where nothing tells of a time, `began` is null.
 */
function unstarted({ rows, listed }: Known): RawBuilder<unknown> {
  return sql`(
    select s.*, least(s.end_time,
      (select min(a.create_time) from ${rows(whiteboardActivities)} a where a.session_id = s.id),
      (select min(p.joined_at) from ${listed.stays} p where p.session_id = s.id)) as began
    from ${listed.sessions} s where s.start_time is null)`
}

export interface Untimed extends Row {
  sessions: number
  activities: number
  /** When the last of them was first seen: none is of a day after it. */
  seen_at: string | null
}

/** What was read, tells of no time at all, and may be of the period. Filters do not count. */
export async function readUntimed(
  { db, ...known }: Known & Pick<ReportContext<unknown>, 'db'>,
  { fromMs }: Pick<Period, 'fromMs'>,
): Promise<Untimed> {
  const [row] = await queryRows<Untimed>(
    db,
    sql`
    select count(*) filter (where activity is null)::int as sessions, count(activity)::int as activities,
      max(_first_seen_at) as seen_at
    from (
      select null as activity, s._first_seen_at from ${unstarted(known)} s where s.began is null
      union all
      select a.id, a._first_seen_at from ${known.rows(whiteboardActivities)} a
      where a.create_time is null and coalesce(
        (select min(s.start_time) from ${known.listed.sessions} s where s.id = a.session_id),
        (select min(s.began) from ${unstarted(known)} s where s.id = a.session_id)) is null) u
    where _first_seen_at >= ${instantOf(fromMs)}`,
  )
  // Aggregates without groups always answer one row.
  return row as Untimed
}

const DAY_MS = 86_400_000

/**
 * A listed session lies inside what was asked for its window, so that none is longer than a window with
 * its margin: what began before that cannot reach into the period.
 */
const LONGEST_DAYS = whiteboardSessions.sync.spanDays + whiteboardSessions.sync.overlapDays
