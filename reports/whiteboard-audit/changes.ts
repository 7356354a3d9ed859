import type { Section } from '../../src/core/define/report.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { changesSince } from '../shared/changes-since.ts'
import { isPerson } from './person.ts'
import type { AuditSource } from './source.ts'

/** Lists what the service has changed about the period’s sessions, participants and activities. */
export async function changesSection(source: AuditSource): Promise<Section[]> {
  const { db, sessions, period, person, rows, previousRows } = source
  if (previousRows === undefined) return []
  const ids = db.selectFrom(sessions(period).as('s')).select('s.id')
  const of = (from: typeof rows) => ({
    sessions: db
      .selectFrom(from(whiteboardSessions).as('x'))
      .selectAll('x')
      .where('x.id', 'in', ids),
    participants: db
      .selectFrom(from(whiteboardParticipants).as('x'))
      .selectAll('x')
      .where('x.session_id', 'in', ids)
      .where(({ ref }) => isPerson(ref('x.user_id'), ref('x.email'), person)),
    activities: db
      .selectFrom(from(whiteboardActivities).as('x'))
      .selectAll('x')
      .where('x.session_id', 'in', ids)
      .where(({ ref }) => isPerson(ref('x.user_id'), ref('x.email'), person)),
  })
  const [now, before] = [of(rows), of(previousRows)]
  return await changesSince(source, [
    { stream: whiteboardSessions, now: now.sessions, before: before.sessions },
    { stream: whiteboardParticipants, now: now.participants, before: before.participants },
    { stream: whiteboardActivities, now: now.activities, before: before.activities },
  ])
}
