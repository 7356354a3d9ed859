import { type Kysely, type RawBuilder, sql } from 'kysely'
import type {
  Period,
  ReportContext,
  ReportCoverage,
  ReportPeriods,
} from '../../src/core/declare/report.ts'
import type { ReportLedgers } from '../../src/core/declare/report-ledgers.ts'
import type { Relation } from '../../src/core/declare/stream-row.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { daysOf } from '../shared/calendar.ts'
import { constant } from '../shared/constant.ts'
import type { Text } from '../shared/expressions.ts'
import { secondsBetween } from '../shared/local-time.ts'
import type { RowIn } from '../shared/query.ts'
import { type LackingDays, lackingDays } from '../shared/read-days.ts'

/** The month's sessions and those of the month before, with local days. */
export interface SessionSource {
  db: Kysely<ReportLedgers>
  timeZone: string
  asOfMs: number
  month: Period
  before: Period
  coverage: ReportCoverage
  /** The month's days that were not wholly read. */
  lacking: LackingDays
  /** False where the month before was not read: nothing is compared then. */
  compared: boolean
  sessions: Relation<SessionRow>
  /** Both months where they are compared, with `earlier` true for the month before. */
  sessionsOfBoth: Relation<SessionRow>
  /** The sessions that began between two instants. */
  sessionsBetween(fromMs: number, toMs: number): Relation<SessionRow>
}

type SessionRow = RowIn<ReturnType<typeof sessionsBetween>>
type Context = ReportContext<unknown, typeof sessionReports>

/** The three kinds that the service rates, and the column of each. */
export const KINDS = [
  { kind: 'audio', title: 'Audio', column: 'audio_quality' },
  { kind: 'video', title: 'Video', column: 'video_quality' },
  { kind: 'screen_share', title: 'Screen share', column: 'screen_share_quality' },
] as const
export type Kind = (typeof KINDS)[number]

export const QUALITIES = ['good', 'fair', 'poor', 'bad'] as const

/** Whether the service rated the kind: a session without a rating may come with an empty one. */
export function isRated(column: Text): RawBuilder<boolean> {
  const words = QUALITIES.map((quality) => constant(quality))
  return sql`${column} in (${sql.join(words)})`
}

/** Whether the service rated any of it bad; where it rated nothing that is not known. */
export const anyBad: RawBuilder<boolean> = sql`
  'bad' in (audio_quality, video_quality, screen_share_quality)`

export function sessionSource(context: Context): SessionSource {
  const { db, timeZone, periods, coverage, beforeCovered, asOfMs } = context
  // The report always names a month.
  const { period, before } = periods as NonNullable<typeof periods>
  const between = (fromMs: number, toMs: number) =>
    sessionsBetween(context, period, { fromMs, toMs })
  const sessions = between(period.fromMs, period.toMs)
  return {
    db,
    timeZone,
    asOfMs,
    month: period,
    before,
    coverage,
    lacking: lackingDays(context, daysOf(period.label)),
    compared: beforeCovered,
    sessions,
    sessionsOfBoth: beforeCovered ? bothOf(db, between, { period, before }) : sessions,
    sessionsBetween: between,
  }
}

/** In one scan, without what lies between them while the month still runs. */
function bothOf(
  db: Context['db'],
  between: SessionSource['sessionsBetween'],
  { period, before }: ReportPeriods,
): Relation<SessionRow> {
  const both = between(before.fromMs, period.toMs)
  if (before.toMs === period.fromMs) return both
  return db
    .selectFrom(both.as('s'))
    .selectAll('s')
    .where(({ eb, or }) =>
      or([eb('s.began', '<', iso(before.toMs)), eb('s.began', '>=', iso(period.fromMs))]),
    )
}

/**
 * A session that ends before it begins does not say how long it was, nor one of fewer than no participants
 * how many. One that does not say when it began counts when it ended.
 */
function sessionsBetween(
  { db, rows, timeZone }: Context,
  month: Period,
  { fromMs, toMs }: Pick<Period, 'fromMs' | 'toMs'>,
) {
  const [from, to] = [iso(fromMs), iso(toMs)]
  const all = db.selectFrom(rows(sessionReports).as('s')).selectAll('s')
  const started = all
    .select('s.start_time as began')
    .where('s.start_time', '>=', from)
    .where('s.start_time', '<', to)
  const ended = all
    .select('s.end_time as began')
    .where('s.start_time', 'is', null)
    .where('s.end_time', '>=', from)
    .where('s.end_time', '<', to)
  return db
    .selectFrom(started.unionAll(ended).as('s'))
    .selectAll('s')
    .select(({ eb, fn, ref }) => [
      eb('s.began', '<', iso(month.fromMs)).as('earlier'),
      sql<string>`(${ref('s.began')} at time zone ${timeZone})::date`.as('day'),
      fn
        .coalesce(
          's.duration',
          eb
            .case()
            .when('s.end_time', '>=', ref('s.start_time'))
            .then(secondsBetween(ref('s.start_time'), ref('s.end_time')))
            .end(),
        )
        .as('seconds'),
      eb.case().when('s.user_count', '>=', 0).then(ref('s.user_count')).end().as('participants'),
    ])
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
export const sessionKey: RawBuilder<string> = sql`coalesce(nullif(s.session_key, ''), ${constant(NO_KEY)})`

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
