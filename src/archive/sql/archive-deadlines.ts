import { type ExpressionBuilder, type NotNull, sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { Database } from '../../warehouse/schema/types.ts'
import { joinWhole } from './file-rows-sql.ts'
import { type ArchiveSession, appliedLabel, hasOutsiders } from './session-facts.ts'

export interface DueSession extends ArchiveSession {
  /** The number of all activities that the session lists. */
  activities: number
  /** The number of these activities whose archives are neither fetched nor given up. */
  archives: number
}

export interface DueSessions {
  sessions: DueSession[]
  /** The number of sessions that expire by `untilMs` but were never listed: their activities are unknown. */
  unread: number
}

/** Sessions that expire from now until an instant and have archives that are not fetched yet. */
export async function dueSessions(
  db: Transaction,
  { account, untilMs }: { account: string; untilMs: number },
): Promise<DueSessions> {
  const rows = await db
    .with(
      (cte) => cte('due').materialized(),
      () =>
        db
          .selectFrom('svc.whiteboard_sessions as s')
          .select(['s.id', 's.whiteboard_id', 's.expire_time'])
          .where('s.account', '=', account)
          .where('s._deleted_at', 'is', null)
          .where('s.expire_time', '>', now)
          .where('s.expire_time', '<=', new Date(untilMs).toISOString())
          .$narrowType<{ expire_time: NotNull }>(),
    )
    .selectFrom('due')
    .crossJoinLateral((eb) => listed(eb, account).as('listed'))
    .select(['due.id as session', 'due.whiteboard_id as whiteboard', 'due.expire_time as expires'])
    .select(['listed.activities', 'listed.archives'])
    .select(({ eb, exists, or, ref, selectFrom }) => {
      const read = selectFrom('callsheet.slice_states as c')
        .where('c.account', '=', account)
        .where('c.stream', '=', 'whiteboard_activities')
        .where('c.listed_at', 'is not', null)
        .where('c.slice', '=', sql<string>`'session=' || due.id`)
      return [
        appliedLabel(account, ref('due.whiteboard_id')).as('label'),
        hasOutsiders(account, ref('due.id')).as('outsiders'),
        or([eb('listed.activities', '>', 0), exists(read)]).as('read'),
      ]
    })
    .where(({ eb, or }) => or([eb('listed.activities', '=', 0), eb('listed.archives', '>', 0)]))
    .orderBy('due.expire_time')
    .orderBy('due.id')
    .execute()
  return {
    sessions: rows
      .filter(({ archives }) => archives > 0)
      .map(({ read: _read, expires, whiteboard, label, outsiders, ...session }) => ({
        ...session,
        whiteboard: whiteboard ?? undefined,
        label: label ?? undefined,
        outsiders: outsiders === true,
        expiresAtMs: Date.parse(expires),
      })),
    unread: rows.filter(({ read }) => read !== true).length,
  }
}

/** Counts a session's activities. The offset keeps the planner from reading those of all sessions. */
function listed({ selectFrom }: ExpressionBuilder<WithDue, 'due'>, account: string) {
  return selectFrom('svc.whiteboard_activities as a')
    .select(({ eb, fn, selectFrom: lookUp, val }) => {
      const state = lookUp('callsheet.files as f')
        .select('f.state')
        .whereRef('f.account', '=', 'a.account')
        .where('f.kind', '=', 'activity')
        .whereRef('f.parent', '=', 'a.session_id')
        .whereRef('f.item', '=', 'a.id')
      const isPending = eb(fn.coalesce(state, val('pending')), '=', 'pending')
      return [
        fn.countAll<number>().as('activities'),
        fn.countAll<number>().filterWhere(isPending).as('archives'),
      ]
    })
    .where('a.account', '=', account)
    .whereRef('a.session_id', '=', 'due.id')
    .where('a._deleted_at', 'is', null)
    .offset(0)
}

interface WithDue extends Database {
  due: { id: string }
}

/** The number of archives that no run has fetched or recorded as lost although their session has expired. */
export async function countOverdue(tx: Transaction, account: string): Promise<number> {
  await joinWhole(tx)
  const { archives } = await tx
    .selectFrom('svc.whiteboard_activities as a')
    .innerJoin('svc.whiteboard_sessions as s', (join) =>
      join.onRef('s.account', '=', 'a.account').onRef('s.id', '=', 'a.session_id'),
    )
    .select(({ fn }) => fn.countAll<number>().as('archives'))
    .where('a.account', '=', account)
    .where('a._deleted_at', 'is', null)
    .where('s.expire_time', '<=', now)
    .where(({ exists, not, selectFrom }) => {
      const settled = selectFrom('callsheet.files as f')
        .whereRef('f.account', '=', 'a.account')
        .where('f.kind', '=', 'activity')
        .whereRef('f.parent', '=', 'a.session_id')
        .whereRef('f.item', '=', 'a.id')
        .where('f.state', '<>', 'pending')
      return not(exists(settled))
    })
    .executeTakeFirstOrThrow()
  return archives
}
