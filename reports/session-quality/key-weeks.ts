import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { daysOf } from '../shared/calendar.ts'
import { rowCount, type Text } from '../shared/expressions.ts'
import { lastBegun } from '../shared/local-time.ts'
import type { RowIn } from '../shared/query.ts'
import { anyBad, isRated, KINDS, type SessionSource, sessionKey } from './source.ts'
import { weekOf } from './weeks.ts'

/** Sessions by session key and week, kept for several sheets. */
export type KeyWeeks = Relation<RowIn<ReturnType<typeof keyWeeks>>>

/** Stores the month's sessions by key and week. */
export function keepKeyWeeks(source: SessionSource): Promise<KeyWeeks> {
  const { sessions, month } = source
  return source.keep('session keys by week', keyWeeks(source, sessions, [month.label]))
}

/** Stores the earlier months' sessions by key and week. */
export function keepEarlierKeyWeeks(source: SessionSource): Promise<KeyWeeks> {
  const months = source.months.slice(0, -1)
  return source.keep(
    'earlier session keys by week',
    keyWeeks(source, source.sessionsEarlier, months),
  )
}

function keyWeeks(
  { db, timeZone }: SessionSource,
  sessions: SessionSource['sessions'],
  months: readonly string[],
) {
  const weeks = [...new Set(months.flatMap(daysOf).map(weekOf))]
  const where = (condition: Expression<boolean | null>): RawBuilder<number> =>
    sql`count(*) filter (where ${condition})::int`
  const rated = (column: Text) => where(isRated(column))
  const bad = (column: Text) => where(isRated(column, ['bad']))
  return db
    .selectFrom(sessions.as('s'))
    .select([sessionKey.as('session_key'), rowCount.as('sessions')])
    .select(({ ref }) => [
      lastBegun(weeks, ref('s.began'), timeZone).as('week'),
      sql<number | null>`sum(${ref('s.participants')}::float8)`.as('users'),
      where(anyRated).as('any_rated'),
      where(anyBad).as('any_bad'),
      rated(ref('s.audio_quality')).as('audio_rated'),
      bad(ref('s.audio_quality')).as('audio_bad'),
      rated(ref('s.video_quality')).as('video_rated'),
      bad(ref('s.video_quality')).as('video_bad'),
      rated(ref('s.screen_share_quality')).as('screen_share_rated'),
      bad(ref('s.screen_share_quality')).as('screen_share_bad'),
      minutesWhere(anyRated).as('rated_minutes'),
      minutesWhere(anyBad).as('bad_minutes'),
    ])
    .groupBy([sessionKey, sql.ref('week')])
}

const anyRated: RawBuilder<boolean> = sql`(${sql.join(
  KINDS.map(({ column }) => isRated(sql.ref(column))),
  sql` or `,
)})`

/**
 * Returns the cost of sessions: all participants' time in minutes. Sums whole seconds, because their total
 * does not depend on the order; a decimal number then gives exact minutes.
 */
function minutesWhere(condition: RawBuilder<boolean>): RawBuilder<number> {
  return sql`coalesce(sum(participants::float8 * seconds) filter (where ${condition}), 0)::numeric / 60`
}
