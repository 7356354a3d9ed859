import { type RawBuilder, sql } from 'kysely'
import type { RecordKeys } from '../../evidence/sql/audited-records.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'

/** The whiteboard activity that an export covers. Instants are ISO text; the end is exclusive. */
export interface AuditScope {
  account: string
  from: string
  to: string
  whiteboard: string | undefined
  /** An ID or an e-mail address. */
  user: string | undefined
}

/** A scope with all IDs and addresses of its user. */
export interface AuditSelection extends Omit<AuditScope, 'user'> {
  person: Person | undefined
}

interface Person {
  ids: string[]
  /** In lower case. */
  emails: string[]
}

/** An activity's file in the bundle's index. It contains no personal data. */
export interface IndexRow {
  activity: string
  session: string
  size: number | null
  sha256: string | null
  state: string
  /** Why the file has this state; null if the state needs no reason. */
  reason: string | null
  /** When the file entered this state; null if no run has handled the file yet. */
  state_at: string | null
  expire_time: string | null
}

/**
 * Looks up the user as the workbook does: finds the IDs of an address and the addresses of an ID, in deleted
 * rows too.
 */
export async function selectionOf(
  tx: Transaction,
  { user, ...scope }: AuditScope,
): Promise<AuditSelection> {
  if (user === undefined) return { ...scope, person: undefined }
  const named = (id: string) =>
    sql<boolean>`(${sql.id(id)} = ${user} or lower(email) = lower(${user}))`
  const rows = await tx
    .selectFrom('svc.users')
    .select(({ fn }) => ['id', fn<string | null>('lower', ['email']).as('email')])
    .where('account', '=', scope.account)
    .where(named('id'))
    .union(
      tx
        .selectFrom('svc.whiteboard_participants')
        .select(({ fn }) => ['user_id as id', fn<string | null>('lower', ['email']).as('email')])
        .where('account', '=', scope.account)
        .where(named('user_id'))
        .where('email', '<>', ''),
    )
    .execute()
  const known = (values: (string | null)[]) =>
    values.filter((value) => value !== null).filter((value) => value !== '')
  const ids = [user, ...known(rows.map(({ id }) => id))]
  const emails = [user.toLowerCase(), ...known(rows.map(({ email }) => email))]
  return { ...scope, person: { ids, emails } }
}

/**
 * The keys of the audited records behind the workbook of the same scope: the activities of the period, and
 * the sessions that overlap the period or contain such an activity. An activity without a time gets its
 * session's time. With a user, selects only the user's activities, and the sessions in which the user took
 * part or was active.
 */
export function selectedKeys(
  tx: Transaction,
  scope: AuditSelection,
): Readonly<Record<string, RecordKeys>> {
  const sessions = tx
    .selectFrom('svc.whiteboard_sessions as s')
    .select('s.id')
    .where('s.account', '=', scope.account)
    .where(ofWhiteboard(scope))
    .where(({ and, eb, or, selectFrom }) => {
      const active = selectFrom(activities(tx, scope).as('a')).select('a.session_id')
      return or([and([wasOpen(scope), tookPart(scope)]), eb('s.id', 'in', active)])
    })
  return { whiteboard_sessions: sessions, whiteboard_activities: activities(tx, scope) }
}

/** Returns the state of each activity's file. An activity without a row in the ledger is pending. */
export function fileIndex(tx: Transaction, scope: AuditSelection): AsyncGenerator<IndexRow> {
  const query = tx
    .selectFrom(activities(tx, scope).as('a'))
    .innerJoin('svc.whiteboard_sessions as s', (join) =>
      join.on('s.account', '=', scope.account).onRef('s.id', '=', 'a.session_id'),
    )
    .leftJoin('callsheet.files as f', (join) =>
      join
        .on('f.account', '=', scope.account)
        .on('f.kind', '=', 'activity')
        .onRef('f.parent', '=', 'a.session_id')
        .onRef('f.item', '=', 'a.id'),
    )
    .select(['a.id as activity', 'a.session_id as session', 'f.size', 'f.reason', 'f.state_at'])
    .select(({ fn, val }) => [
      sql<string | null>`encode(f.sha256, 'hex')`.as('sha256'),
      fn.coalesce('f.state', val('pending')).as('state'),
      fn.coalesce('f.expires_at', 's.expire_time').as('expire_time'),
    ])
    .orderBy('a.session_id')
    .orderBy('a.id')
  return cursorRows(tx, 'index of files', query)
}

function activities(tx: Transaction, scope: AuditSelection) {
  return tx
    .selectFrom('svc.whiteboard_activities as a')
    .innerJoin('svc.whiteboard_sessions as s', (join) =>
      join.onRef('s.account', '=', 'a.account').onRef('s.id', '=', 'a.session_id'),
    )
    .select(['a.session_id', 'a.id'])
    .where('a.account', '=', scope.account)
    .where(ofWhiteboard(scope))
    .where(({ and, eb, or }) => {
      const timeless = and([eb('a.create_time', 'is', null), inPeriod(scope, BEGAN)])
      return or([inPeriod(scope, sql`a.create_time`), timeless])
    })
    .where(ofPerson(scope, 'a'))
}

// Raw SQL, because each of these conditions is used in queries of several tables.

function ofWhiteboard({ whiteboard }: AuditSelection): RawBuilder<boolean> {
  return whiteboard === undefined ? ANY : sql<boolean>`s.whiteboard_id = ${whiteboard}`
}

function wasOpen({ from, to }: AuditSelection): RawBuilder<boolean> {
  return sql<boolean>`(${BEGAN} < ${to}::timestamptz
    and greatest(${BEGAN}, s.end_time) >= ${from}::timestamptz)`
}

function inPeriod({ from, to }: AuditSelection, at: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(${at} >= ${from}::timestamptz and ${at} < ${to}::timestamptz)`
}

/**
 * When a session began. Without a start time, the earliest of its end, the first activity and the first time
 * that a person joined.
 */
const BEGAN = sql`coalesce(s.start_time, least(s.end_time,
  (select min(d.create_time) from svc.whiteboard_activities d
    where d.account = s.account and d.session_id = s.id),
  (select min(p.joined_at) from svc.whiteboard_participants p
    where p.account = s.account and p.session_id = s.id)))`

function tookPart(scope: AuditSelection): RawBuilder<boolean> {
  if (scope.person === undefined) return ANY
  return sql<boolean>`exists (select 1 from svc.whiteboard_participants p
    where p.account = s.account and p.session_id = s.id and ${ofPerson(scope, 'p')})`
}

function ofPerson({ person }: AuditSelection, alias: string): RawBuilder<boolean> {
  if (person === undefined) return ANY
  return sql<boolean>`(${sql.id(alias, 'user_id')} = ${anyOf(person.ids)}
    or lower(${sql.id(alias, 'email')}) = ${anyOf(person.emails)})`
}

const ANY = sql<boolean>`true`
