import { type RawBuilder, sql } from 'kysely'
import type { ReportContext } from '../../../src/core/define/report.ts'
import type { Period } from '../../../src/core/define/report-period.ts'
import type { Relation } from '../../../src/core/define/stream-row.ts'
import { rowCount, type Text } from '../../shared/expressions.ts'
import { instantOf, localDay } from '../../shared/local-time.ts'
import type { RowIn } from '../../shared/query.ts'
import { timedActivities } from '../activity-rows.ts'
import { type Chosen, chosenSessions } from '../chosen.ts'
import { isOutside, personKey } from '../person.ts'
import { staysIn } from '../session-rows.ts'
import type { AuditSource } from '../source.ts'
import { type Base, isOfBase } from './base.ts'
import { isNight, learnNight, type Night } from './night.ts'
import { nightOf, type UnusualSettings } from './settings.ts'

/** A person's activity on a local day, in the period or before. */
export interface PersonDay {
  person: string
  outside: boolean
  day: string
  /** The number of deleted objects. A deletion that names no object counts as one. */
  deletions: number
  /** The number of activities at night. */
  nights: number
  /** The number of boards, not counting the first. */
  boards: number
}

/** The days of all people with their counts, and the hours of night. */
export interface PersonDays {
  rows: Relation<PersonDay>
  night: Night | undefined
}

export type Keep = Pick<ReportContext<unknown>, 'keep'>

export async function keepPersonDays(
  { keep }: Keep,
  source: AuditSource,
  { base, settings }: { base: Base; settings: UnusualSettings },
): Promise<PersonDays> {
  const { db, account, rows, listed, timeZone } = source
  const chosen = { db, account, rows, listed, timeZone, person: undefined, whiteboard: undefined }
  const whole = { ...base.period, toMs: source.period.toMs }
  const hours = await keep('activities by hour', hoursOf(chosen, whole))
  const { nightHours } = settings
  const night = nightHours === null ? await learnedNight(source, hours, base) : nightOf(nightHours)
  const people = await keep('days of people', daysOf(chosen, whole, { hours, night }))
  return { rows: people, night }
}

type Hours = Relation<RowIn<ReturnType<typeof hoursOf>>>

/**
 * Counts activities and deletions by session, person and hour. One activity may delete many objects; one that
 * names no object counts as one deletion.
 */
function hoursOf(chosen: Chosen, whole: Period) {
  const { db, timeZone } = chosen
  const timed = db.selectFrom(timedActivities(chosen, whole).as('p')).select(({ ref }) => [
    'p.session_id',
    personKey(ref('p.user_id'), ref('p.email'), ref('p.collaborator_name')).as('person'),
    isOutside(ref('p.email')).as('outside'),
    localDay(ref('p.at'), timeZone).as('day'),
    sql<number>`extract(hour from ${ref('p.at')} at time zone ${timeZone})::int`.as('hour'),
    sql<number>`case when ${deletes(ref('p.type'))}
        then greatest(1, coalesce(cardinality(${ref('p.object_ids')}), 0)) else 0 end`.as(
      'deleted',
    ),
  ])
  return db
    .selectFrom(timed.as('p'))
    .select(['p.session_id', 'p.person', 'p.outside', 'p.day', 'p.hour', rowCount.as('activities')])
    .select(({ ref }) => sql<number>`sum(${ref('p.deleted')})::int`.as('deleted'))
    .groupBy(['p.session_id', 'p.person', 'p.outside', 'p.day', 'p.hour'])
}

/** Whether the words of an activity's type suggest a deletion. */
export function deletes(type: Text): RawBuilder<boolean> {
  return sql`coalesce(${type} ~* ${DELETIONS}, false)`
}

/** Learns the night from how often people are active in each hour; undefined without quiet hours. */
async function learnedNight(
  { db }: AuditSource,
  hours: Hours,
  base: Base,
): Promise<Night | undefined> {
  const counts = await db
    .selectFrom(hours.as('h'))
    .select(({ ref }) => [
      'h.hour',
      sql<number>`count(distinct (${ref('h.person')}, ${ref('h.day')}))::int`.as('count'),
    ])
    .where(({ ref }) => isOfBase(base, ref('h.day')))
    .groupBy('h.hour')
    .execute()
  return learnNight(new Map(counts.map(({ hour, count }) => [hour, count])))
}

/**
 * Returns the days of each person. A board counts on the day on which the person joined or did something. Raw
 * SQL, because it combines activities and stays.
 */
function daysOf(
  chosen: Chosen,
  whole: Period,
  { hours, night }: { hours: Hours; night: Night | undefined },
) {
  const { db, listed } = chosen
  const stays = db
    .selectFrom(staysIn(chosen, whole, chosenSessions(chosen, whole)).as('s'))
    .select(['s.person', 's.outside', 's.day', 's.session_id', 's.whiteboard_id'])
    .where(sql<boolean>`s.joined_at >= ${instantOf(whole.fromMs)} is not false`)
  const sessions = db
    .selectFrom(listed.sessions.as('s'))
    .distinctOn('s.id')
    .select(['s.id', 's.whiteboard_id'])
    .orderBy('s.id')
  const atNight = night === undefined ? sql`false` : isNight(sql.ref('hour'), night)
  return sql<PersonDay>`
    with done as (
      select person, outside, day, session_id, sum(deleted) as deletions,
        sum(activities) filter (where ${atNight}) as nights
      from ${hours} h group by 1, 2, 3, 4)
    select person, bool_and(outside) as outside, day, coalesce(sum(deletions), 0)::int as deletions,
      coalesce(sum(nights), 0)::int as nights,
      count(distinct coalesce(whiteboard_id, ''))::int - 1 as boards
    from (
      select person, outside, day, deletions, nights, whiteboard_id
      from done d left join ${sessions} s on s.id = d.session_id
      union all select person, outside, day, 0, 0, whiteboard_id from ${stays} s) p
    group by person, day`
}

/** Matches deletions by their words, because the documents list no types of activities. */
const DELETIONS = 'delete|remove|erase|clear|trash'

/** A person from outside, on the first day or after more than `acquaintance` days without a visit. */
export interface Newcomer {
  person: string
  day: string
}

/** Stores newcomers, but only for days for which earlier visitors are known. */
export function keepNewcomers(
  { keep }: Keep,
  { rows }: PersonDays,
  { known, acquaintance }: Base,
): Promise<Relation<Newcomer>> {
  return keep(
    'newcomers from outside',
    sql<Newcomer>`
      select person, day from (
        select person, day, lag(day) over (partition by person order by day) as last
        from ${rows} p where outside) p
      where day >= ${known} and (last is null or day::date - last::date > ${acquaintance}::int)`,
  )
}
