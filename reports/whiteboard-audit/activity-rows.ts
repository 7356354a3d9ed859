import { type RawBuilder, sql } from 'kysely'
import type { Period } from '../../src/core/define/report-period.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import type { Text } from '../shared/expressions.ts'
import { instantOf, localDay } from '../shared/local-time.ts'
import { type Chosen, chosenSessions } from './chosen.ts'
import { isOutside, isPerson, personKey } from './person.ts'

/**
 * Returns the activities of a period, each at its own time or, without one, at its session's start. A file
 * without a ledger row is pending, and its deadline is the expiry of its session. The state of a file that
 * the service never offered is `no file`, because nothing was lost.
 */
export function activitiesIn(chosen: Chosen, period: Period) {
  const { db, account, listed, timeZone, person, whiteboard } = chosen
  const sessions = db
    .selectFrom(listed.sessions.as('s'))
    .distinctOn('s.id')
    .select(['s.id', 's.whiteboard_id', 's.whiteboard_name', 's.expire_time'])
    .orderBy('s.id')
  const activities = db
    .selectFrom(timedActivities(chosen, period).as('p'))
    .leftJoin(sessions.as('s'), 's.id', 'p.session_id')
    .leftJoin('callsheet.files as f', (join) =>
      join
        .on('f.account', '=', account)
        .on('f.kind', '=', 'activity')
        .onRef('f.parent', '=', 'p.session_id')
        .onRef('f.item', '=', 'p.id'),
    )
    .selectAll('p')
    .select(['s.whiteboard_id', 's.whiteboard_name', 'f.reason as file_reason'])
    .select(['f.state_at as file_since', 'f.size as file_size', 'f.sha256 as file_sha256'])
    .select(({ and, eb, fn, lit, not, or, ref, selectFrom }) => {
      const incidents = selectFrom('callsheet.incidents')
        .select('subject')
        .where('account', '=', account)
      const known = eb(fileSubject(ref('p.session_id'), ref('p.id')), 'in', incidents)
      const missing = eb('f.state', '=', 'missing')
      const lost = or([eb('f.state', '=', 'expired'), and([missing, known])])
      return [
        localDay(ref('p.at'), timeZone).as('day'),
        isOutside(ref('p.email')).as('outside'),
        personKey(ref('p.user_id'), ref('p.email'), ref('p.collaborator_name')).as('person'),
        eb
          .case()
          .when(and([missing, not(known)]))
          .then(sql<string>`'no file'`)
          .else(fn.coalesce('f.state', sql<string>`'pending'`))
          .end()
          .as('file_state'),
        fn.coalesce('f.expires_at', 's.expire_time').as('deadline'),
        fn.coalesce(lost, lit(false)).as('lost'),
      ]
    })
    .where(({ ref }) => isPerson(ref('p.user_id'), ref('p.email'), person))
  return whiteboard === undefined
    ? activities
    : activities.where('s.whiteboard_id', '=', whiteboard)
}

/** The activities of a period, each with its time as `at`. */
export function timedActivities(chosen: Chosen, period: Period) {
  const [from, to] = [instantOf(period.fromMs), instantOf(period.toMs)]
  const all = chosen.db.selectFrom(chosen.rows(whiteboardActivities).as('a')).selectAll('a')
  const untimed = all
    .innerJoin(chosenSessions(chosen, period).as('s'), 's.id', 'a.session_id')
    .select('s.began as at')
    .where('a.create_time', 'is', null)
    .where('s.began', '>=', from)
  return all
    .select('a.create_time as at')
    .where('a.create_time', '>=', from)
    .where('a.create_time', '<', to)
    .unionAll(untimed)
}

/**
 * Returns the subject of an incident about an activity's file. A file that the service never offered has no
 * incident, because it is missing but not lost.
 */
export function fileSubject(sessionId: Text, id: Text): RawBuilder<string> {
  return sql`'activity:' || ${sessionId} || ':' || ${id}`
}
