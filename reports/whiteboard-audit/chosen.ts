import type { Kysely } from 'kysely'
import type { ReportLedgers } from '../../src/core/define/report-ledgers.ts'
import type { Period } from '../../src/core/define/report-period.ts'
import type { RowsOf } from '../../src/core/define/stream-row.ts'
import type { users } from '../../src/resources/users.ts'
import type {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import type { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import type { whiteboards } from '../../src/resources/whiteboards.ts'
import { begunSessions } from './begun-sessions.ts'
import type { Listed } from './listed.ts'
import type { Person } from './person.ts'

/** The streams that most sheets of the audit read. */
export type Streams =
  | typeof whiteboardSessions
  | typeof whiteboardParticipants
  | typeof whiteboardActivities
  | typeof whiteboards
  | typeof whiteboardCollaborators
  | typeof users

/** The account and the filters, for the rows of a period. */
export interface Chosen {
  db: Kysely<ReportLedgers>
  account: string
  rows: RowsOf<Streams>
  listed: Listed
  timeZone: string
  person: Person | undefined
  whiteboard: string | undefined
}

/** Returns the sessions, on the chosen board if any, that may be open at some time in the period. */
export function chosenSessions(chosen: Chosen, period: Omit<Period, 'label'>) {
  const { db, whiteboard } = chosen
  const sessions = begunSessions(chosen, period)
  if (whiteboard === undefined) return sessions
  return db.selectFrom(sessions.as('s')).selectAll('s').where('s.whiteboard_id', '=', whiteboard)
}
