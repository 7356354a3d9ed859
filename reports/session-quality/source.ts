import { type RawBuilder, sql } from 'kysely'
import type { Period, ReportContext, Section } from '../../src/core/define/report.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { zonedDayStartMs } from '../../src/core/time/zone.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { note } from '../shared/blocks.ts'
import { constant, rowCount, type Text } from '../shared/expressions.ts'
import { instantOf, secondsBetween } from '../shared/local-time.ts'
import { monthsUpTo } from '../shared/periods.ts'
import type { RowIn } from '../shared/query.ts'
import { type LackingDays, lackingInMonths } from '../shared/read-days.ts'
import { grouped } from '../shared/words.ts'
import type { QualitySettings } from './settings.ts'

/** The month's sessions and those of the months before it, with local days. */
export interface SessionSource extends SessionQualityContext {
  month: Period
  before: Period
  /** The months that are looked at, the oldest first and the report's own last: `yyyy-mm`. */
  months: readonly string[]
  /** The days of all months that were not wholly read. */
  lacking: LackingDays
  /** False where the month before was not read: nothing is compared then. */
  compared: boolean
  /** Of the month. */
  sessions: Relation<SessionRow>
  /** Of all months. */
  sessionsOfAll: Relation<SessionRow>
}

type SessionRow = RowIn<ReturnType<typeof sessionsBetween>>
type SessionQualityContext = ReportContext<unknown, typeof sessionReports, QualitySettings>

/** The three kinds that the service rates, and the column of each. */
export const KINDS = [
  { kind: 'audio', title: 'Audio', column: 'audio_quality' },
  { kind: 'video', title: 'Video', column: 'video_quality' },
  { kind: 'screen_share', title: 'Screen share', column: 'screen_share_quality' },
] as const
export type QualityKind = (typeof KINDS)[number]

export const QUALITIES = ['good', 'fair', 'poor', 'bad'] as const

/** Whether the service rated the kind: a session without a rating may come with an empty one. */
export function isRated(column: Text): RawBuilder<boolean> {
  const words = QUALITIES.map((quality) => constant(quality))
  return sql`${column} in (${sql.join(words)})`
}

/** Whether the service rated any of it bad; where it rated nothing that is not known. */
export const anyBad: RawBuilder<boolean> = sql`
  'bad' in (audio_quality, video_quality, screen_share_quality)`

export async function sessionSource(context: SessionQualityContext): Promise<SessionSource> {
  const { timeZone, periods, beforeCovered } = context
  // The report always names a month.
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
    sessionsOfAll: between(fromMs),
  }
}

/**
 * A session that ends before it begins does not say how long it was, nor one of fewer than no participants
 * how many. One that does not say when it began counts when it ended.
 */
export function sessionsBetween(
  { db, rows, periods }: SessionQualityContext,
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

/** The report's month, and the ones before, which make the limits of each weekday. The service shows six. */
export const MONTHS = 6

/** Tells in the provenance of sessions without any time, which may be of the month and are in none. */
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
    `${grouped(sessions)} ${sessions === 1 ? 'session has' : 'sessions have'} no time on record, so no ` +
    `month counts ${sessions === 1 ? 'it' : 'them'}.`
  return [{ title: 'Provenance', provenance: true, blocks: [note('warning', text)] }]
}
