import { sql } from 'kysely'
import type { ReportContext } from '../../src/core/define/report.ts'
import type { Period } from '../../src/core/define/report-period.ts'
import {
  whiteboardActivities,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { countWhere } from '../shared/expressions.ts'
import { instantOf } from '../shared/local-time.ts'
import type { Listed } from './listed.ts'

type Known = Pick<ReportContext<unknown, typeof whiteboardActivities>, 'db' | 'rows'> & {
  listed: Listed
}

/** Returns the sessions that may be open at some time in a period, each with the time it `began`. */
export function begunSessions(known: Known, { fromMs, toMs }: Omit<Period, 'label'>) {
  const [earliest, end] = [instantOf(fromMs - LONGEST_DAYS * DAY_MS), instantOf(toMs)]
  const unstarted = known.db
    .selectFrom(unstartedSessions(known).as('s'))
    .selectAll('s')
    .where('s.began', '>=', earliest)
    .where('s.began', '<', end)
  return known.db
    .selectFrom(known.listed.sessions.as('s'))
    .selectAll('s')
    .select('s.start_time as began')
    .where('s.start_time', '>=', earliest)
    .where('s.start_time', '<', end)
    .unionAll(unstarted)
}

/**
 * Returns sessions without a start. `began` is the session's end or its first stay or activity, whichever is
 * earliest; null if no time is known.
 */
function unstartedSessions({ db, rows, listed }: Known) {
  return db
    .selectFrom(listed.sessions.as('s'))
    .selectAll('s')
    .select(({ ref, selectFrom }) => {
      const acted = selectFrom(rows(whiteboardActivities).as('a'))
        .select(({ fn }) => fn.min('a.create_time').as('at'))
        .whereRef('a.session_id', '=', 's.id')
      const came = selectFrom(listed.stays.as('p'))
        .select(({ fn }) => fn.min('p.joined_at').as('at'))
        .whereRef('p.session_id', '=', 's.id')
      return sql<string | null>`least(${ref('s.end_time')}, ${acted}, ${came})`.as('began')
    })
    .where('s.start_time', 'is', null)
}

export interface Untimed {
  sessions: number
  activities: number
  /** When the last of these records was first seen. No record belongs to a later day. */
  seen_at: string | null
}

/** Counts sessions and activities without any time that may belong to the period. Ignores filters. */
export async function readUntimed(
  { db, rows, listed }: Known,
  { fromMs }: Pick<Period, 'fromMs'>,
): Promise<Untimed> {
  const unstarted = unstartedSessions({ db, rows, listed })
  const sessions = db
    .selectFrom(unstarted.as('s'))
    .select([sql<string | null>`null`.as('activity'), 's._first_seen_at'])
    .where('s.began', 'is', null)
  const activities = db
    .selectFrom(rows(whiteboardActivities).as('a'))
    .select(['a.id as activity', 'a._first_seen_at'])
    .where('a.create_time', 'is', null)
    .where(({ eb, fn, selectFrom }) => {
      const started = selectFrom(listed.sessions.as('s'))
        .select(({ fn: of }) => of.min('s.start_time').as('at'))
        .whereRef('s.id', '=', 'a.session_id')
      const began = selectFrom(unstarted.as('s'))
        .select(({ fn: of }) => of.min('s.began').as('at'))
        .whereRef('s.id', '=', 'a.session_id')
      return eb(fn.coalesce(started, began), 'is', null)
    })
  return await db
    .selectFrom(sessions.unionAll(activities).as('u'))
    .select(({ eb, fn }) => [
      countWhere(eb('u.activity', 'is', null)).as('sessions'),
      countWhere(eb('u.activity', 'is not', null)).as('activities'),
      fn.max('u._first_seen_at').as('seen_at'),
    ])
    .where('u._first_seen_at', '>=', instantOf(fromMs))
    .executeTakeFirstOrThrow()
}

const DAY_MS = 86_400_000

/**
 * The greatest length of a listed session in days: a window with its margin. A session that began more days
 * before the period cannot reach into it.
 */
const LONGEST_DAYS = whiteboardSessions.sync.spanDays + whiteboardSessions.sync.overlapDays
