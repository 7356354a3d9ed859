import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Period, ReportContext } from '../../src/core/report.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'

/** The month's sessions and those of the month before, with local days, as relations for `from`. */
export interface SessionSource {
  db: QueryExecutorProvider
  timeZone: string
  asOfMs: number
  month: Period
  before: Period
  /** False where the month before was not read: nothing is compared then. */
  compared: boolean
  sessions: RawBuilder<unknown>
  sessionsBefore: RawBuilder<unknown>
}

/** The three kinds that the service rates, and the column of each. */
export const KINDS = [
  { kind: 'audio', title: 'Audio', column: 'audio_quality' },
  { kind: 'video', title: 'Video', column: 'video_quality' },
  { kind: 'screen_share', title: 'Screen share', column: 'screen_share_quality' },
] as const
export type Kind = (typeof KINDS)[number]

export const QUALITIES = ['good', 'fair', 'poor', 'bad'] as const

export function sessionSource(context: ReportContext<unknown>): SessionSource {
  const { db, rows, timeZone, periods, beforeCovered, asOfMs } = context
  // The report always names a month.
  const { period, before } = periods as NonNullable<typeof periods>
  const of = ({ fromMs, toMs }: Period): RawBuilder<unknown> => sql`(
    select s.*, (start_time at time zone ${timeZone})::date as day,
      coalesce(duration, extract(epoch from end_time - start_time))::float8 as seconds
    from ${rows(sessionReports)} s
    where start_time >= ${iso(fromMs)}::timestamptz and start_time < ${iso(toMs)}::timestamptz)`
  return {
    db,
    timeZone,
    asOfMs,
    month: period,
    before,
    compared: beforeCovered,
    sessions: of(period),
    sessionsBefore: of(before),
  }
}

/** What sessions without a key are shown under; they belong to no one team, so they lead no ranking. */
export const NO_KEY = '(no key)'
export const sessionKey: RawBuilder<unknown> = sql`coalesce(nullif(s.session_key, ''), ${sql.lit(NO_KEY)})`

/** Counts and shares of one kind's qualities; shares are of the rated sessions only. */
export function qualityColumns({ column }: Kind): RawBuilder<unknown> {
  const name = sql.id(column)
  const count = (quality: string) => sql`count(*) filter (where ${name} = ${quality})`
  const rated = sql`count(*) filter (where ${name} in ('good', 'fair', 'poor', 'bad'))`
  const columns = QUALITIES.flatMap((quality) => [
    sql`${count(quality)}::int as ${sql.id(quality)}`,
    sql`${count(quality)}::float8 / nullif(${rated}, 0) as ${sql.id(`${quality}_share`)}`,
  ])
  return sql`count(*)::int as sessions, ${rated}::int as rated, ${sql.join(columns)}`
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
