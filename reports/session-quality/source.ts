import { type Expression, type RawBuilder, sql } from 'kysely'
import type { ReportContext, Section } from '../../src/core/define/report.ts'
import type { Period } from '../../src/core/define/report-period.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { iso } from '../../src/core/time/time.ts'
import { zonedDayStartMs } from '../../src/core/time/zone.ts'
import { count } from '../../src/core/values/quantities.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { note } from '../shared/blocks.ts'
import { constant, rowCount } from '../shared/expressions.ts'
import { instantOf, secondsBetween } from '../shared/local-time.ts'
import { monthsUpTo } from '../shared/periods.ts'
import type { RowIn } from '../shared/query.ts'
import { type LackingDays, lackingInMonths } from '../shared/read-days.ts'
import type { QualitySettings } from './settings.ts'

/** The sessions of the month and of the months before it, with local days. */
export interface SessionSource extends SessionQualityContext {
  month: Period
  before: Period
  /** The months covered, the report's own last: `yyyy-mm`. */
  months: readonly string[]
  /** The days of these months that were not completely read. */
  lacking: LackingDays
  /** False if `before` was not read completely; the month is then not compared with it. */
  compared: boolean
  /** Sessions of the month. */
  sessions: Relation<SessionRow>
  /** Sessions of the months before the report's month. */
  sessionsEarlier: Relation<SessionRow>
  /** Sessions of all months. */
  sessionsOfAll: Relation<SessionRow>
}

type SessionRow = RowIn<ReturnType<typeof sessionsBetween>>
type SessionQualityContext = ReportContext<unknown, typeof sessionReports, QualitySettings>

/** The three kinds of rating, with their columns. */
export const KINDS = [
  { kind: 'audio', title: 'Audio', column: 'audio_quality' },
  { kind: 'video', title: 'Video', column: 'video_quality' },
  { kind: 'screen_share', title: 'Screen share', column: 'screen_share_quality' },
] as const
export type QualityKind = (typeof KINDS)[number]

export const QUALITIES = ['good', 'fair', 'poor', 'bad'] as const
type Quality = (typeof QUALITIES)[number]
const SPELLED = {
  good: ['good', 'Good', 'GOOD'],
  fair: ['fair', 'Fair', 'FAIR'],
  poor: ['poor', 'Poor', 'POOR'],
  bad: ['bad', 'Bad', 'BAD'],
} as const

/** Whether a rating is one of these words, in lower case, in upper case or capitalized. */
export function isRated(
  column: Expression<string | null>,
  words: readonly Quality[] = QUALITIES,
): RawBuilder<boolean> {
  const spelled = words.flatMap((word) => SPELLED[word].map((each) => constant(each)))
  return sql`${column} in (${sql.join(spelled)})`
}

/** Whether the service rated any kind bad; false or null if not. */
export const anyBad: RawBuilder<boolean> = sql`(${sql.join(
  KINDS.map(({ column }) => isRated(sql.ref(column), ['bad'])),
  sql` or `,
)})`

export async function sessionSource(context: SessionQualityContext): Promise<SessionSource> {
  const { timeZone, periods, beforeCovered } = context
  // Periods are defined, because the report always has a month.
  const { period, before } = periods as NonNullable<typeof periods>
  const months = monthsUpTo(period.label, MONTHS)
  const fromMs = zonedDayStartMs(`${months[0]}-01`, timeZone)
  const between = (from: number) => sessionsBetween(context, { fromMs: from, toMs: period.toMs })
  return {
    ...context,
    month: period,
    before,
    months,
    lacking: await lackingInMonths(context, months, period.toMs),
    compared: beforeCovered,
    sessions: between(period.fromMs),
    sessionsEarlier: sessionsBetween(context, { fromMs, toMs: period.fromMs }),
    sessionsOfAll: between(fromMs),
  }
}

/**
 * Returns sessions with a duration and a size. A missing duration is computed from start and end, unless the
 * end is earlier. The size is null for a negative participant count. Without a start, the end counts.
 */
export function sessionsBetween(
  { db, rows, periods }: Pick<SessionQualityContext, 'db' | 'rows' | 'periods'>,
  { fromMs, toMs }: Pick<Period, 'fromMs' | 'toMs'>,
) {
  const { before } = periods as NonNullable<typeof periods>
  const [from, to] = [iso(fromMs), iso(toMs)]
  const all = db.selectFrom(rows(sessionReports).as('s')).selectAll('s')
  const ended = all.select('s.end_time as began').where('s.start_time', 'is', null)
  return db
    .selectFrom(all.select('s.start_time as began').unionAll(ended).as('s'))
    .where('s.began', '>=', from)
    .where('s.began', '<', to)
    .selectAll('s')
    .select(({ eb, fn, ref }) => [
      eb
        .and([eb('s.began', '>=', iso(before.fromMs)), eb('s.began', '<', iso(before.toMs))])
        .as('compared'),
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

/** The text of an empty table of bad sessions. */
export function noBadSessionText(
  facts: { month: unknown },
  { coverage, month }: SessionSource,
): string {
  if (facts.month === undefined) return nothingRead(month)
  return coverage.whole
    ? 'No session was rated bad.'
    : 'Of the sessions that were read, none was rated bad.'
}

export function nothingRead({ label }: Period): string {
  return `Nothing of ${label} was read.`
}

/** The name for sessions without a key. They belong to no single team, so rankings omit or end with it. */
export const NO_KEY = '(no key)'
export const sessionKey: RawBuilder<string> = sql`coalesce(nullif(s.session_key, ''), ${constant(NO_KEY)})`

/** The number of months: the report's, and those before it, which set each weekday's limits. */
export const MONTHS = 6

/** Notes sessions without any time, which may belong to the month but appear in no count. */
export async function untimedSections({ db, rows, month }: SessionSource): Promise<Section[]> {
  const { sessions } = await db
    .selectFrom(rows(sessionReports).as('s'))
    .select(rowCount.as('sessions'))
    .where('s.start_time', 'is', null)
    .where('s.end_time', 'is', null)
    .where('s._first_seen_at', '>=', instantOf(month.fromMs))
    .executeTakeFirstOrThrow()
  if (sessions === 0) return []
  const text =
    `${count(sessions)} ${sessions === 1 ? 'session has' : 'sessions have'} no time on record, so no ` +
    `month counts ${sessions === 1 ? 'it' : 'them'}.`
  return [{ title: 'Provenance', provenance: true, blocks: [note('warning', text)] }]
}
