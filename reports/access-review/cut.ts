import { type RawBuilder, sql } from 'kysely'
import type { CutSource, ReportCut } from '../../src/core/define/owner.ts'
import type { ReportContext } from '../../src/core/define/report.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { users } from '../../src/resources/users.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import { rowCount } from '../shared/expressions.ts'
import { type AccessStreams, boardOwner } from './source.ts'

/**
 * People belong to the owner of their department, and so do their numbers and the boards that they own. The
 * collaborators and sessions of a board belong to the owner of the board.
 */
export const accessCut: ReportCut<AccessStreams, ReportContext<unknown, AccessStreams>> = {
  by: ['departments'],
  async owned(source) {
    const { rows, goneRows, keep, isOwned } = source
    const people = await keep('people by owner', peopleByOwner(source))
    const boards = await keep('boards by owner', boardsByOwner(source, people))
    const own = sql`(select o.id from ${people} o where ${isOwned(sql`o.place`)})`
    const ownBoards = sql`(select b.whiteboard_id from ${boards} b where ${isOwned(sql`b.place`)})`
    const onBoard = sql<boolean>`r.whiteboard_id in ${ownBoards}`
    const held = sql`r.assigned_to_type = 'User' and r.assigned_to_id in ${own}`
    const inSession = sql<boolean>`r.session_id in (
      select s.id from ${rows(whiteboardSessions)} s where s.whiteboard_id in ${ownBoards}
      union all
      select s.id from ${goneRows(whiteboardSessions)} s where s.whiteboard_id in ${ownBoards})`
    return new Map<AccessStreams, RawBuilder<boolean>>([
      [users, sql`r.id in ${own}`],
      [phoneNumberAssignments, sql`(${held})`],
      [
        phoneNumbers,
        sql`r.id in (select r.phone_number_id from ${rows(phoneNumberAssignments)} r where ${held})`,
      ],
      [whiteboards, onBoard],
      [whiteboardCollaborators, onBoard],
      [whiteboardSessions, onBoard],
      [whiteboardParticipants, inSession],
      [whiteboardActivities, inSession],
    ])
  },
  async count({ db, rows }) {
    const people = await db
      .selectFrom(rows(users).as('u'))
      .select(rowCount.as('count'))
      .executeTakeFirstOrThrow()
    const boards = await db
      .selectFrom(rows(whiteboards).as('b'))
      .select(rowCount.as('count'))
      .executeTakeFirstOrThrow()
    return [
      { ...people, one: 'user', many: 'users' },
      { ...boards, one: 'board', many: 'boards' },
    ]
  },
}

/** Deleted people keep the department that they had. */
function peopleByOwner({ rows, goneRows, place }: CutSource<AccessStreams>) {
  return sql<{ id: string; place: number | null }>`(
    select id, ${place('departments', sql`dept`)} as place from (
      select id, dept from ${rows(users)} u union all select id, dept from ${goneRows(users)} g) p)`
}

/** For a board that left the account, its last known collaborators name the owner. */
function boardsByOwner(
  { rows, goneRows }: CutSource<AccessStreams>,
  people: Relation<{ id: string; place: number | null }>,
) {
  return sql<{ whiteboard_id: string; place: number | null }>`(
    select b.whiteboard_id, p.place
    from (
      select whiteboard_id, false as gone from ${rows(whiteboards)} b
      union all select whiteboard_id, true from ${goneRows(whiteboards)} g) b
      left join (
        select whiteboard_id, ${boardOwner} as owner_id, false as gone
        from ${rows(whiteboardCollaborators)} c group by whiteboard_id
        union all
        select whiteboard_id, ${boardOwner}, true from (
          select g.*, max(gone_by) over (partition by whiteboard_id) as last
          from ${goneRows(whiteboardCollaborators)} g) g
        where gone_by = last group by whiteboard_id) c using (whiteboard_id, gone)
      left join ${people} p on p.id = c.owner_id)`
}
