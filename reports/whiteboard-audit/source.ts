import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Period, ReportContext, ReportCoverage } from '../../src/core/declare/report.ts'
import type { Stream } from '../../src/core/declare/stream.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import { periodDays } from '../shared/day-range.ts'
import { instantOf, localDay } from '../shared/local-time.ts'
import { type LackingDays, lackingDays } from '../shared/read-days.ts'
import { begunSessions } from './begun-sessions.ts'
import { type Listed, readListed } from './listed.ts'
import { findPerson, isPerson, type Person } from './person.ts'

export interface AuditParams {
  from?: string | undefined
  to?: string | undefined
  whiteboard?: string | undefined
  user?: string | undefined
  timezone?: string | undefined
}

/** What the sheets read: relations for `from`, bound to the account, the filters and a period. */
export interface AuditSource {
  db: QueryExecutorProvider
  account: string
  timeZone: string
  asOfMs: number
  period: Period
  before: Period
  /** False where the period before was not read: nothing is compared then. */
  compared: boolean
  /** The local days of the period. */
  days: readonly string[]
  coverage: ReportCoverage
  /** The days for which no window of sessions was wholly read. */
  lacking: LackingDays
  params: AuditParams
  person: Person | undefined
  rows(stream: Stream): RawBuilder<unknown>
  listed: Listed
  runId(stream: Stream): number | undefined
  /** The sessions that were open at some time of the period, with the `day` on which they count. */
  sessions(period: Period): RawBuilder<unknown>
  /** Who was there from when to when: those sessions' participants, with the time that lies in the period. */
  stays(period: Period): RawBuilder<unknown>
  /** What was done in the period, by its own time, with where its file stands. */
  activities(period: Period): RawBuilder<unknown>
}

export async function auditSource(context: ReportContext<AuditParams>): Promise<AuditSource> {
  const { db, account, rows, runId, timeZone, periods, beforeCovered, asOfMs, params } = context
  const { coverage } = context
  // The report always names its days.
  const { period, before } = periods as NonNullable<typeof periods>
  const days = periodDays(period, timeZone)
  const listed = await readListed(context)
  const person =
    params.user === undefined ? undefined : await findPerson({ ...context, listed }, params.user)
  const chosen: Chosen = { account, rows, listed, timeZone, person, whiteboard: params.whiteboard }
  const kept = await keepPeriod(context, chosen, period)
  const past = beforeCovered ? await keepSessions(context, chosen, before) : undefined
  const ofPeriod = (of: Period): Relations =>
    of === period ? kept : relationsOf(chosen, of, of === before ? past : undefined)
  return {
    db,
    account,
    timeZone,
    asOfMs,
    period,
    before,
    compared: beforeCovered,
    days,
    coverage,
    lacking: lackingDays(context, days),
    params,
    person,
    rows,
    listed,
    runId,
    sessions: (of) => ofPeriod(of).sessions,
    stays: (of) => ofPeriod(of).stays,
    activities: (of) => ofPeriod(of).activities,
  }
}

type Relations = Record<'sessions' | 'stays' | 'activities', RawBuilder<unknown>>

/** Most sheets ask for the period's rows, and to put them together takes longer than to read them. */
async function keepPeriod(
  { keep }: ReportContext<AuditParams>,
  chosen: Chosen,
  period: Period,
): Promise<Relations> {
  const sessions = await keep('sessions', sessionsIn(chosen, period))
  return {
    sessions,
    stays: await keep('stays', staysIn(chosen, period, sessions)),
    activities: await keep('activities', activitiesIn(chosen, period)),
  }
}

/** The period before is counted once; its sessions are asked for with its stays as well. */
function keepSessions(
  { keep }: ReportContext<AuditParams>,
  chosen: Chosen,
  before: Period,
): Promise<RawBuilder<unknown>> {
  return keep('sessions before', sessionsIn(chosen, before))
}

function relationsOf(
  chosen: Chosen,
  period: Period,
  sessions = sql`(${sessionsIn(chosen, period)})`,
): Relations {
  return {
    sessions,
    stays: sql`(${staysIn(chosen, period, sessions)})`,
    activities: sql`(${activitiesIn(chosen, period)})`,
  }
}

interface Chosen {
  account: string
  rows(stream: Stream): RawBuilder<unknown>
  listed: Listed
  timeZone: string
  person: Person | undefined
  whiteboard: string | undefined
}

function begun(chosen: Chosen, period: Omit<Period, 'label'>): RawBuilder<unknown> {
  const { whiteboard } = chosen
  const sessions = begunSessions(chosen, period)
  if (whiteboard === undefined) return sessions
  return sql`(select s.* from ${sessions} s where s.whiteboard_id = ${whiteboard})`
}

function sessionsIn(chosen: Chosen, period: Period): RawBuilder<unknown> {
  const from = instantOf(period.fromMs)
  return sql`
    select s.*, ${localDay(sql`greatest(s.began, ${from})`, chosen.timeZone)} as day,
      case when s.end_time >= s.start_time
        then round(extract(epoch from s.end_time - s.start_time))::bigint end as seconds
    from ${begun(chosen, period)} s
    where (greatest(s.began, s.end_time) >= ${from} or s.id in (${actedIn(chosen, period)}))
      ${ofPerson(chosen, period)}`
}

/** The sessions in which something was done in the period, whatever is said of their end. */
function actedIn({ rows }: Chosen, { fromMs, toMs }: Period): RawBuilder<unknown> {
  return sql`select a.session_id from ${rows(whiteboardActivities)} a
    where a.create_time >= ${instantOf(fromMs)} and a.create_time < ${instantOf(toMs)}`
}

/** A session goes on without a person: theirs are those in which they were or acted during the period. */
function ofPerson(chosen: Chosen, period: Period): RawBuilder<unknown> {
  if (chosen.person === undefined) return sql``
  const stays = staysIn(chosen, period, begun(chosen, period))
  return sql`and (s.id in (select session_id from (${stays}) x)
    or s.id in (select session_id from (${activitiesIn(chosen, period)}) x))`
}

/** A stay's time is what lies in the period: of one over the end of a month each month has its part. */
function staysIn(
  chosen: Chosen,
  period: Period,
  sessions: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { listed, timeZone, person } = chosen
  const [from, to] = [instantOf(period.fromMs), instantOf(period.toMs)]
  const came = sql`coalesce(p.joined_at, s.began)`
  const inOrder = sql`p.leave_whiteboard_time >= p.joined_at`
  const since = sql`greatest(p.joined_at, ${from})`
  const until = sql`least(p.leave_whiteboard_time, ${to})`
  return sql`
    select p.*, p.leave_whiteboard_time as left_at, ${OUTSIDE} as outside, s.whiteboard_id,
      s.whiteboard_name, ${personKey(sql`p.user_name`)} as person,
      ${localDay(sql`greatest(${came}, ${from})`, timeZone)} as day,
      p.leave_whiteboard_time is null as open_end,
      case when ${inOrder} then tstzrange(${since}, ${until}) end as span,
      case when ${inOrder} then round(extract(epoch from ${until} - ${since}))::bigint end as seconds
    from ${listed.stays} p join ${sessions} s on s.id = p.session_id
    where ${came} < ${to} and coalesce(p.leave_whiteboard_time, ${from}) >= ${from}
      ${person === undefined ? sql`` : sql`and ${isPerson(sql.id('p'), person)}`}`
}

/**
 * An activity counts at its own time, wherever and whether its session is said to have begun; one without a
 * time when that began. A file without an entry is pending until its session expires. What the service never
 * offered is `no file`: nothing was lost with it.
 */
function activitiesIn(chosen: Chosen, period: Period): RawBuilder<unknown> {
  const { account, rows, listed, timeZone, person, whiteboard } = chosen
  const [from, to] = [instantOf(period.fromMs), instantOf(period.toMs)]
  const all = rows(whiteboardActivities)
  const known = sql`${fileSubject(sql`p`)} in (select subject from callsheet.incidents
    where account = ${account})`
  return sql`
    select p.*, ${localDay(sql`p.at`, timeZone)} as day, ${OUTSIDE} as outside,
      ${personKey(sql`p.collaborator_name`)} as person, s.whiteboard_id, s.whiteboard_name,
      case when f.state = 'missing' and not ${known} then 'no file'
        else coalesce(f.state, 'pending') end as file_state,
      f.reason as file_reason, f.state_at as file_since,
      f.size as file_size, f.sha256 as file_sha256, coalesce(f.expires_at, s.expire_time) as deadline,
      coalesce(f.state in ('expired', 'refused') or (f.state = 'missing' and ${known}), false) as lost
    from (
      select a.*, a.create_time as at from ${all} a
      where a.create_time >= ${from} and a.create_time < ${to}
      union all
      select a.*, s.began from ${all} a join ${begun(chosen, period)} s on s.id = a.session_id
      where a.create_time is null and s.began >= ${from}) p
    left join (select distinct on (id) id, whiteboard_id, whiteboard_name, expire_time
      from ${listed.sessions} s order by id) s on s.id = p.session_id
    left join callsheet.files f on f.account = ${account} and f.kind = 'activity'
      and f.parent = p.session_id and f.item = p.id
    where ${whiteboard === undefined ? sql`true` : sql`s.whiteboard_id = ${whiteboard}`}
      ${person === undefined ? sql`` : sql`and ${isPerson(sql.id('p'), person)}`}`
}

/**
 * How an incident names an activity's file. A file that the service never offered is missing without being
 * lost: there is no incident then.
 */
export function fileSubject(row: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`'activity:' || ${row}.session_id || ':' || ${row}.id`
}

/** The service gives no address of people from outside the account. */
const OUTSIDE = sql`coalesce(p.email, '') = ''`

/** Who it is, as far as the record tells: people from outside are known by their name alone. */
function personKey(name: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(nullif(p.user_id, ''), nullif(lower(p.email), ''),
    'name: ' || coalesce(${name}, '')) collate "C"`
}
