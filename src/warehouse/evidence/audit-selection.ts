import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'

/** Which whiteboard activity an export is about. Instants are ISO text, the end is not included. */
export interface AuditScope {
  account: string
  from: string
  to: string
  whiteboard: string | undefined
  /** An ID or an e-mail address. */
  user: string | undefined
}

/** A scope, with everything that the user who is looked for is known by. */
export interface AuditSelection extends Omit<AuditScope, 'user'> {
  person: Person | undefined
}

interface Person {
  ids: string[]
  /** In lower case. */
  emails: string[]
}

/** What the bundle's index says of an activity's file. Nothing in it names a person. */
export interface IndexRow {
  activity: string
  session: string
  size: number | null
  sha256: string | null
  state: string
  /** Why it is in this state, and since when; null where nobody has come to it yet. */
  reason: string | null
  state_at: string | null
  expire_time: string | null
}

/**
 * Looks the user up, as the workbook does: an address leads to its ID, an ID to its addresses. What is gone
 * by now counts too.
 */
export async function selectionOf(
  tx: Transaction,
  { user, ...scope }: AuditScope,
): Promise<AuditSelection> {
  if (user === undefined) return { ...scope, person: undefined }
  const named = sql`account = ${scope.account} and (id = ${user} or lower(email) = lower(${user}))`
  const { rows } = await sql<{ id: string | null; email: string | null }>`
    select nullif(id, '') as id, nullif(lower(email), '') as email from svc.users where ${named}
    union
    select nullif(id, ''), lower(email)
    from (select account, user_id as id, email from svc.whiteboard_participants) p
    where ${named} and email <> ''`.execute(tx)
  const known = (values: (string | null)[]): string[] => values.filter((value) => value !== null)
  const ids = [user, ...known(rows.map(({ id }) => id))]
  const emails = [user.toLowerCase(), ...known(rows.map(({ email }) => email))]
  return { ...scope, person: { ids, emails } }
}

/**
 * The keys of the audited records that the workbook of the same scope is made from: activities of the period,
 * one without a time at that of its session, and the sessions that reach into it or hold one of them. Whoever
 * is looked for took part in the session, or did the activity.
 */
export function selectedKeys(scope: AuditSelection): Readonly<Record<string, RawBuilder<unknown>>> {
  return {
    whiteboard_sessions: sql`select s.id from svc.whiteboard_sessions s
      where s.account = ${scope.account} ${ofWhiteboard(scope)}
        and (${wasOpen(scope)} ${tookPart(scope)}
          or s.id in (select a.session_id from (${activities(scope)}) a))`,
    whiteboard_activities: activities(scope),
  }
}

/** The state of each activity's file; an activity that nobody has come to yet is pending. */
export function fileIndex(tx: Transaction, scope: AuditSelection): AsyncGenerator<IndexRow> {
  const query = sql<IndexRow>`
    select a.id as activity, a.session_id as session, f.size, encode(f.sha256, 'hex') as sha256,
      coalesce(f.state, 'pending') as state, f.reason, f.state_at,
      coalesce(f.expires_at, s.expire_time) as expire_time
    from (${activities(scope)}) a
      join svc.whiteboard_sessions s on s.account = ${scope.account} and s.id = a.session_id
      left join callsheet.files f on f.account = ${scope.account} and f.kind = 'activity'
        and f.parent = a.session_id and f.item = a.id
    order by a.session_id, a.id`
  return cursorRows(tx, 'index of files', query)
}

function activities(scope: AuditSelection): RawBuilder<unknown> {
  const timeless = sql`(a.create_time is null and ${inPeriod(scope, BEGAN)})`
  return sql`select a.session_id, a.id from svc.whiteboard_activities a
      join svc.whiteboard_sessions s on s.account = a.account and s.id = a.session_id
    where a.account = ${scope.account} ${ofWhiteboard(scope)}
      and (${inPeriod(scope, sql`a.create_time`)} or ${timeless}) ${ofPerson(scope, 'a')}`
}

function ofWhiteboard({ whiteboard }: AuditSelection): RawBuilder<unknown> {
  return whiteboard === undefined ? sql`` : sql`and s.whiteboard_id = ${whiteboard}`
}

function wasOpen({ from, to }: AuditSelection): RawBuilder<unknown> {
  return sql`${BEGAN} < ${to}::timestamptz and greatest(${BEGAN}, s.end_time) >= ${from}::timestamptz`
}

function inPeriod({ from, to }: AuditSelection, at: RawBuilder<unknown>): RawBuilder<unknown> {
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

function tookPart(scope: AuditSelection): RawBuilder<unknown> {
  if (scope.person === undefined) return sql``
  return sql`and exists (select 1 from svc.whiteboard_participants p
    where p.account = s.account and p.session_id = s.id ${ofPerson(scope, 'p')})`
}

function ofPerson({ person }: AuditSelection, alias: string): RawBuilder<unknown> {
  if (person === undefined) return sql``
  return sql`and (${sql.id(alias, 'user_id')} = any(${person.ids}::text[])
    or lower(${sql.id(alias, 'email')}) = any(${person.emails}::text[]))`
}
