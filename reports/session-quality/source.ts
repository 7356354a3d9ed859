import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Period, ReportContext, ReportCoverage } from '../../src/core/declare/report.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { daysOf } from '../shared/calendar.ts'
import { constant } from '../shared/constant.ts'
import { type LackingDays, lackingDays } from '../shared/read-days.ts'

/** The month's sessions and those of the month before, with local days, as relations for `from`. */
export interface SessionSource {
  db: QueryExecutorProvider
  timeZone: string
  asOfMs: number
  month: Period
  before: Period
  coverage: ReportCoverage
  /** The month's days that were not wholly read. */
  lacking: LackingDays
  /** False where the month before was not read: nothing is compared then. */
  compared: boolean
  sessions: RawBuilder<unknown>
  /** Both months where they are compared, with `earlier` true for the month before. */
  sessionsOfBoth: RawBuilder<unknown>
  /** The sessions that began between two instants. */
  sessionsBetween(fromMs: number, toMs: number): RawBuilder<unknown>
}

/** The three kinds that the service rates, and the column of each. */
export const KINDS = [
  { kind: 'audio', title: 'Audio', column: 'audio_quality' },
  { kind: 'video', title: 'Video', column: 'video_quality' },
  { kind: 'screen_share', title: 'Screen share', column: 'screen_share_quality' },
] as const
export type Kind = (typeof KINDS)[number]

export const QUALITIES = ['good', 'fair', 'poor', 'bad'] as const

/** Whether the service rated the kind: a session without a rating may come with an empty one. */
export function isRated(column: Kind['column']): RawBuilder<unknown> {
  const words = QUALITIES.map((quality) => constant(quality))
  return sql`${sql.id(column)} in (${sql.join(words)})`
}

export function sessionSource(context: ReportContext<unknown>): SessionSource {
  const { db, rows, timeZone, periods, coverage, beforeCovered, asOfMs } = context
  // The report always names a month.
  const { period, before } = periods as NonNullable<typeof periods>
  const all = rows(sessionReports)
  // Whole seconds, so that a sum is the same in whatever order parallel workers add it up. A session that
  // ends before it begins does not say how long it was, nor one of fewer than no participants how many. One
  // that does not say when it began counts when it ended.
  const between = (fromMs: number, toMs: number): RawBuilder<unknown> => sql`(
    select s.*, began < ${iso(period.fromMs)}::timestamptz as earlier,
      (began at time zone ${timeZone})::date as day,
      coalesce(duration, case when end_time >= start_time
        then round(extract(epoch from end_time - start_time))::bigint end) as seconds,
      case when user_count >= 0 then user_count end as participants
    from (
      select s.*, start_time as began from ${all} s where ${within('start_time', fromMs, toMs)}
      union all
      select s.*, end_time from ${all} s where start_time is null and ${within('end_time', fromMs, toMs)}) s)`
  return {
    db,
    timeZone,
    asOfMs,
    month: period,
    before,
    coverage,
    lacking: lackingDays(context, daysOf(period.label)),
    compared: beforeCovered,
    sessions: between(period.fromMs, period.toMs),
    sessionsOfBoth: between((beforeCovered ? before : period).fromMs, period.toMs),
    sessionsBetween: between,
  }
}

function within(
  column: 'start_time' | 'end_time',
  fromMs: number,
  toMs: number,
): RawBuilder<unknown> {
  const at = sql.id(column)
  return sql`${at} >= ${iso(fromMs)}::timestamptz and ${at} < ${iso(toMs)}::timestamptz`
}

/** What a table of bad sessions says where it has no row. */
export function noneBad(facts: { month: unknown }, { coverage, month }: SessionSource): string {
  if (facts.month === undefined) return nothingRead(month)
  return coverage.whole
    ? 'No session was rated bad.'
    : 'Of the sessions that were read, none was rated bad.'
}

export function nothingRead({ label }: Period): string {
  return `Nothing of ${label} was read.`
}

/** What sessions without a key are shown under; they belong to no one team, so they lead no ranking. */
export const NO_KEY = '(no key)'
export const sessionKey: RawBuilder<unknown> = sql`coalesce(nullif(s.session_key, ''), ${constant(NO_KEY)})`

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
