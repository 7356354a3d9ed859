import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from './connect.ts'
import { cursorRows } from './cursor.ts'

/** Which whiteboard activity an export is about. Instants are ISO text, the end is not included. */
export interface AuditScope {
  account: string
  from: string
  to: string
  whiteboard: string | undefined
  /** An ID or an e-mail address. */
  user: string | undefined
}

/** What the bundle's index says of an activity's file. Nothing in it names a person. */
export interface IndexRow {
  activity: string
  session: string
  size: number | null
  sha256: string | null
  state: string
  expire_time: string | null
}

/**
 * The keys of the audited records in scope: activities of the period, and the sessions that were open at some
 * time of it or hold one of them, as the workbook beside them has it. Whoever is looked for took part in the
 * session, or did the activity.
 */
export function selectedKeys(scope: AuditScope): Readonly<Record<string, RawBuilder<unknown>>> {
  return {
    whiteboard_sessions: sql`select s.id from svc.whiteboard_sessions s
      where s.account = ${scope.account} ${ofWhiteboard(scope)}
        and (${wasOpen(scope)} ${tookPart(scope)}
          or s.id in (select a.session_id from (${activities(scope)}) a))`,
    whiteboard_activities: activities(scope),
  }
}

/** The state of each activity's file; an activity that nobody has come to yet is pending. */
export function fileIndex(tx: Transaction, scope: AuditScope): AsyncGenerator<IndexRow> {
  const query = sql<IndexRow>`
    select a.id as activity, a.session_id as session, f.size, encode(f.sha256, 'hex') as sha256,
      coalesce(f.state, 'pending') as state, coalesce(f.expires_at, s.expire_time) as expire_time
    from (${activities(scope)}) a
      join svc.whiteboard_sessions s on s.account = ${scope.account} and s.id = a.session_id
      left join callsheet.files f on f.account = ${scope.account} and f.kind = 'activity'
        and f.parent = a.session_id and f.item = a.id
    order by a.session_id, a.id`
  return cursorRows(tx, 'index of files', query)
}

function activities(scope: AuditScope): RawBuilder<unknown> {
  const { account, user } = scope
  return sql`select a.session_id, a.id from svc.whiteboard_activities a
      join svc.whiteboard_sessions s on s.account = a.account and s.id = a.session_id
    where a.account = ${account} ${ofWhiteboard(scope)} and (${inPeriod(scope, sql`a.create_time`)}
        or (a.create_time is null and ${inPeriod(scope, BEGAN)}))
      ${user === undefined ? sql`` : sql`and ${isUser('a', scope)}`}`
}

function ofWhiteboard({ whiteboard }: AuditScope): RawBuilder<unknown> {
  return whiteboard === undefined ? sql`` : sql`and s.whiteboard_id = ${whiteboard}`
}

function wasOpen({ from, to }: AuditScope): RawBuilder<unknown> {
  return sql`${BEGAN} < ${to}::timestamptz and greatest(${BEGAN}, s.end_time) >= ${from}::timestamptz`
}

function inPeriod({ from, to }: AuditScope, at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${at} >= ${from}::timestamptz and ${at} < ${to}::timestamptz)`
}

/**
 * When a session began. One without a usable start was open when somebody first came or did something in it,
 * and when it ended.
 */
const BEGAN = sql`coalesce(s.start_time, least(s.end_time,
  (select min(d.create_time) from svc.whiteboard_activities d
    where d.account = s.account and d.session_id = s.id),
  (select min(p.joined_at) from svc.whiteboard_participants p
    where p.account = s.account and p.session_id = s.id)))`

function tookPart(scope: AuditScope): RawBuilder<unknown> {
  if (scope.user === undefined) return sql``
  return sql`and exists (select 1 from svc.whiteboard_participants p
    where p.account = s.account and p.session_id = s.id and ${isUser('p', scope)})`
}

/** By all that they are known by: an address leads to its ID, an ID to its addresses. */
function isUser(alias: string, { account, user }: AuditScope): RawBuilder<unknown> {
  const named = (id: string) =>
    sql`(${sql.id('k', id)} = ${user} or lower(k.email) = lower(${user}))`
  const known = (what: RawBuilder<unknown>) => sql`
    select ${what} from (
      select k.id, k.email from svc.users k where k.account = ${account} and ${named('id')}
      union all
      select k.user_id, k.email from svc.whiteboard_participants k
      where k.account = ${account} and k.email <> '' and ${named('user_id')}) u`
  return sql`(${sql.id(alias, 'user_id')} = ${user} or lower(${sql.id(alias, 'email')}) = lower(${user})
    or ${sql.id(alias, 'user_id')} in (${known(sql`nullif(u.id, '')`)})
    or lower(${sql.id(alias, 'email')}) in (${known(sql`nullif(lower(u.email), '')`)}))`
}
