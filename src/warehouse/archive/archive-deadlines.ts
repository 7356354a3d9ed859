import { sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'
import { joinWhole } from './files.ts'
import { appliedLabel, hasOutsiders } from './session-facts.ts'

export interface DueSession {
  session: string
  whiteboard: string | undefined
  /** The label that we applied to the board last. */
  label: string | undefined
  outsiders: boolean
  expiresAtMs: number
  /** All that the session lists, and of them those that are not fetched yet. */
  activities: number
  archives: number
}

export interface DueSessions {
  sessions: DueSession[]
  /** Sessions that expire meanwhile and were never listed: nobody knows how many activities they have. */
  unread: number
}

/** Sessions that expire from now until an instant and have archives that are not fetched yet. */
export async function dueSessions(
  db: Transaction,
  { account, untilMs }: { account: string; untilMs: number },
): Promise<DueSessions> {
  const { rows } = await sql<Omit<DueSession, 'expiresAtMs'> & { expires: string; read: boolean }>`
    with due as materialized (
      select s.id, s.whiteboard_id, s.expire_time from svc.whiteboard_sessions s
      where s.account = ${account} and s._deleted_at is null and s.expire_time > callsheet.clock()
        and s.expire_time <= ${new Date(untilMs).toISOString()}::timestamptz)
    select due.id as session, due.whiteboard_id as whiteboard, due.expire_time as expires,
      ${appliedLabel(account, sql`due.whiteboard_id`)} as label,
      ${hasOutsiders(account, sql`due.id`)} as outsiders,
      listed.activities, listed.archives,
      listed.activities > 0 or exists (select 1 from callsheet.slices c
        where c.account = ${account} and c.stream = 'whiteboard_activities' and c.state = 'complete'
          and not callsheet.no_list(c.state, c.error) and c.slice = 'session=' || due.id) as read
    from due cross join lateral (
      select count(*)::int as activities, count(*) filter (where coalesce((
        select f.state from callsheet.files f where f.account = a.account and f.kind = 'activity'
          and f.parent = a.session_id and f.item = a.id), 'pending') = 'pending')::int as archives
      from svc.whiteboard_activities a
      where a.account = ${account} and a.session_id = due.id and a._deleted_at is null
      offset 0) listed
    where listed.activities = 0 or listed.archives > 0
    order by due.expire_time, due.id`.execute(db)
  return {
    sessions: rows
      .filter(({ archives }) => archives > 0)
      .map(({ read: _read, expires, whiteboard, label, ...session }) => ({
        ...session,
        whiteboard: whiteboard ?? undefined,
        label: label ?? undefined,
        expiresAtMs: Date.parse(expires),
      })),
    unread: rows.filter(({ read }) => !read).length,
  }
}

/** Archives that no run has fetched, or called lost, though the last day of their session is over. */
export async function countOverdue(tx: Transaction, account: string): Promise<number> {
  await joinWhole(tx)
  const { rows } = await sql<{ archives: number }>`
    select count(*)::int as archives
    from svc.whiteboard_activities a
      join svc.whiteboard_sessions s on s.account = a.account and s.id = a.session_id
    where a.account = ${account} and a._deleted_at is null and s.expire_time <= callsheet.clock()
      and not exists (select 1 from callsheet.files f where f.account = a.account
        and f.kind = 'activity' and f.parent = a.session_id and f.item = a.id
        and f.state <> 'pending')`.execute(tx)
  return rows[0]?.archives ?? 0
}

export interface FileStateCount {
  kind: 'activity' | 'recording'
  state: string
  files: number
  bytes: number
}

/**
 * How many files are in each state. An activity without a row is pending; what the service never offered,
 * which is no incident, is `no file` here as in the audit.
 */
export async function countFileStates(db: Transaction, account: string): Promise<FileStateCount[]> {
  const { rows } = await sql<FileStateCount>`
    select kind, state, sum(files)::int as files, sum(bytes)::float8 as bytes from (
      select kind, case when state = 'missing' and not (kind || ':' || parent || ':' || item) in (
          select subject from callsheet.incidents where account = ${account}) then 'no file'
        else state end as state, count(*) as files, coalesce(sum(size), 0) as bytes
      from callsheet.files where account = ${account} group by 1, 2
      union all
      select 'activity', 'pending', count(*), 0 from svc.whiteboard_activities a
      where a.account = ${account} and a._deleted_at is null and not exists (
        select 1 from callsheet.files f where f.account = a.account and f.kind = 'activity'
          and f.parent = a.session_id and f.item = a.id)) counted
    group by kind, state having sum(files) > 0 order by kind, state`.execute(db)
  return rows
}

export interface IncidentCount {
  kind: string
  incidents: number
  lastAt: string
  /** The latest ones, a few of them. */
  latest: { subject: string; at: string; detail: string }[]
}

/** Incidents since an instant, by kind. */
export async function recentIncidents(
  db: Transaction,
  { account, sinceMs }: { account: string; sinceMs: number },
): Promise<IncidentCount[]> {
  const { rows } = await sql<IncidentCount>`
    select kind, count(*)::int as incidents, max(at) as "lastAt",
      jsonb_agg(jsonb_build_object('subject', subject, 'detail', detail,
        'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) order by back)
        filter (where back <= ${LATEST}) as latest
    from (
      select i.*, row_number() over (partition by kind order by at desc, id desc) as back
      from callsheet.incidents i
      where account = ${account} and at >= ${new Date(sinceMs).toISOString()}::timestamptz) recent
    group by kind order by kind`.execute(db)
  return rows
}

const LATEST = 5
