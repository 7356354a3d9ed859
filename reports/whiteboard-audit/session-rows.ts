import { sql } from 'kysely'
import type { Period } from '../../src/core/define/report-period.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import { instantOf, later, localDay, secondsBetween } from '../shared/local-time.ts'
import type { RowIn } from '../shared/query.ts'
import { activitiesIn } from './activity-rows.ts'
import { type Chosen, chosenSessions } from './chosen.ts'
import { isOutside, isPerson, personKey } from './person.ts'

export function sessionsIn(chosen: Chosen, period: Period) {
  const { db, timeZone, person } = chosen
  const from = instantOf(period.fromMs)
  const sessions = db
    .selectFrom(chosenSessions(chosen, period).as('s'))
    .selectAll('s')
    .select(({ eb, ref }) => [
      localDay(later(ref('s.began'), from), timeZone).as('day'),
      eb
        .case()
        .when('s.end_time', '>=', ref('s.start_time'))
        .then(secondsBetween(ref('s.start_time'), ref('s.end_time')))
        .end()
        .as('seconds'),
    ])
    .where(({ eb, or, ref }) =>
      or([
        eb(later(ref('s.began'), ref('s.end_time')), '>=', from),
        eb('s.id', 'in', actedIn(chosen, period)),
      ]),
    )
  if (person === undefined) return sessions
  // A session may continue without the person, so a person's sessions are those that the person attended or
  // acted in during the period.
  const stays = staysIn(chosen, period, chosenSessions(chosen, period))
  const activities = activitiesIn(chosen, period)
  return sessions.where(({ eb, or, selectFrom }) =>
    or([
      eb('s.id', 'in', selectFrom(stays.as('x')).select('x.session_id')),
      eb('s.id', 'in', selectFrom(activities.as('x')).select('x.session_id')),
    ]),
  )
}

/** Returns the sessions with activity in the period, whatever their recorded end. */
function actedIn({ db, rows }: Chosen, { fromMs, toMs }: Period) {
  return db
    .selectFrom(rows(whiteboardActivities).as('a'))
    .select('a.session_id')
    .where('a.create_time', '>=', instantOf(fromMs))
    .where('a.create_time', '<', instantOf(toMs))
}

/**
 * Returns stays with their time inside the period. For a stay that crosses an end of the period, only the
 * time inside counts.
 */
export function staysIn(
  { db, listed, timeZone, person }: Chosen,
  period: Period,
  sessions: Relation<RowIn<ReturnType<typeof chosenSessions>>>,
) {
  const [from, to] = [instantOf(period.fromMs), instantOf(period.toMs)]
  const came = sql<string | null>`coalesce(p.joined_at, s.began)`
  const since = later(sql.ref('p.joined_at'), from)
  const until = sql<string | null>`least(p.leave_whiteboard_time, ${to})`
  return db
    .selectFrom(listed.stays.as('p'))
    .innerJoin(sessions.as('s'), 's.id', 'p.session_id')
    .selectAll('p')
    .select(['p.leave_whiteboard_time as left_at', 's.whiteboard_id', 's.whiteboard_name'])
    .select(({ eb, ref }) => {
      const inOrder = eb('p.leave_whiteboard_time', '>=', ref('p.joined_at'))
      const span = sql<string>`tstzrange(${since}, ${until})`
      return [
        isOutside(ref('p.email')).as('outside'),
        personKey(ref('p.user_id'), ref('p.email'), ref('p.user_name')).as('person'),
        localDay(later(came, from), timeZone).as('day'),
        eb('p.leave_whiteboard_time', 'is', null).as('open_end'),
        eb.case().when(inOrder).then(span).end().as('span'),
        eb.case().when(inOrder).then(secondsBetween(since, until)).end().as('seconds'),
      ]
    })
    .where(came, '<', to)
    .where(({ eb, fn }) => eb(fn.coalesce('p.leave_whiteboard_time', from), '>=', from))
    .where(({ ref }) => isPerson(ref('p.user_id'), ref('p.email'), person))
}
