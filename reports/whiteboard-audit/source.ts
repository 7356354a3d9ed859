import type { ReportContext } from '../../src/core/define/report.ts'
import type { Period } from '../../src/core/define/report-period.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { periodDays } from '../shared/periods.ts'
import type { RowIn } from '../shared/query.ts'
import { type LackingDays, lackingDays } from '../shared/read-days.ts'
import { activitiesIn } from './activity-rows.ts'
import type { Chosen, Streams } from './chosen.ts'
import { type Listed, readListed } from './listed.ts'
import { findPerson, type Person } from './person.ts'
import { sessionsIn, staysIn } from './session-rows.ts'

export interface AuditParams {
  from?: string | undefined
  to?: string | undefined
  whiteboard?: string | undefined
  user?: string | undefined
  timezone?: string | undefined
}

/** The report's data: relations limited by the account, the filters and a period. */
export interface AuditSource extends ReportContext<AuditParams, Streams> {
  period: Period
  before: Period
  /** False if `before` was not read completely; the report then shows no figures of it. */
  compared: boolean
  /** The local days of the period. */
  days: readonly string[]
  /** The days of the period that were not completely read. */
  lacking: LackingDays
  person: Person | undefined
  listed: Listed
  /** The sessions open or acted in at some time in the period, with the `day` on which they count. */
  sessions(period: Period): Relations['sessions']
  /** The stays in these sessions, with their time inside the period. */
  stays(period: Period): Relations['stays']
  /** The activities of the period, by their own time, with the state of their files. */
  activities(period: Period): Relations['activities']
}

export async function auditSource(
  context: ReportContext<AuditParams, Streams>,
): Promise<AuditSource> {
  const { db, account, rows, timeZone, periods, beforeCovered, params } = context
  // Periods are defined, because the report always has days.
  const { period, before } = periods as NonNullable<typeof periods>
  const days = periodDays(period, timeZone)
  const listed = await readListed(context)
  const person =
    params.user === undefined ? undefined : await findPerson({ ...context, listed }, params.user)
  const { whiteboard } = params
  const chosen: Chosen = { db, account, rows, listed, timeZone, person, whiteboard }
  const kept = await keepPeriod(context, chosen, period)
  const past = beforeCovered ? await keepSessions(context, chosen, before) : undefined
  const ofPeriod = (of: Period): Relations =>
    of === period ? kept : relationsOf(chosen, of, of === before ? past : undefined)
  return {
    ...context,
    period,
    before,
    compared: beforeCovered,
    days,
    lacking: lackingDays(context, days),
    person,
    listed,
    sessions: (of) => ofPeriod(of).sessions,
    stays: (of) => ofPeriod(of).stays,
    activities: (of) => ofPeriod(of).activities,
  }
}

interface Relations {
  sessions: Relation<RowIn<ReturnType<typeof sessionsIn>>>
  stays: Relation<RowIn<ReturnType<typeof staysIn>>>
  activities: Relation<RowIn<ReturnType<typeof activitiesIn>>>
}

type Keep = Pick<ReportContext<AuditParams, Streams>, 'keep'>

/** Stores the period's rows, because most sheets use them and building them takes longer than reading. */
async function keepPeriod({ keep }: Keep, chosen: Chosen, period: Period): Promise<Relations> {
  const sessions = await keep('sessions', sessionsIn(chosen, period))
  return {
    sessions,
    stays: await keep('stays', staysIn(chosen, period, sessions)),
    activities: await keep('activities', activitiesIn(chosen, period)),
  }
}

/** Stores the previous period's sessions, because its stays use them too. Its other rows are read once. */
function keepSessions(
  { keep }: Keep,
  chosen: Chosen,
  before: Period,
): Promise<Relations['sessions']> {
  return keep('sessions before', sessionsIn(chosen, before))
}

function relationsOf(
  chosen: Chosen,
  period: Period,
  sessions: Relations['sessions'] = sessionsIn(chosen, period),
): Relations {
  return {
    sessions,
    stays: staysIn(chosen, period, sessions),
    activities: activitiesIn(chosen, period),
  }
}
