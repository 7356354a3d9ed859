import { sql } from 'kysely'
import { zonedDayStartMs } from '../../src/core/time/zone.ts'
import { addDays, mondayOf } from '../shared/calendar.ts'
import { rowCount } from '../shared/expressions.ts'
import { sumOf } from '../shared/statistics.ts'
import { type Facts, shareOf } from './facts.ts'
import { type Kind, NO_KEY, type SessionSource, sessionKey } from './source.ts'
import { findingsOf, type QualityTest } from './tests.ts'
import { type Week, weeksOf } from './weeks.ts'

export interface WorstWeek {
  /** Its Monday, or the first day of the month. */
  week: string
  share: number
  /** Bad share in the month without that week; null when there was nothing else. */
  shareElsewhere: number | null
  key: string
  /** The key's part of the week's sessions with bad audio. */
  keyPart: number
}

/**
 * The week that stands out most for bad audio; where none does, the one with the most bad audio for its
 * number of rated sessions. Undefined when none was bad.
 */
export async function worstWeek(
  source: SessionSource,
  { days }: Facts,
  tests: readonly QualityTest[],
): Promise<WorstWeek | undefined> {
  const weeks = weeksOf(days, 'audio')
  const month = sumOf(weeks.map(({ whole }) => whole))
  // A week with hardly a session says little, so it leads only when there is no other.
  const busy = ({ whole }: Week): number => Number(whole.of >= month.of * 0.05)
  const [highest] = weeks
    .filter(({ whole }) => whole.hits > 0)
    .sort((a, b) => busy(b) - busy(a) || shareIn(b) - shareIn(a))
  const surest = findingsOf(tests).find(isWorseWeekOf('audio'))
  const worst = weeks.find(({ from }) => from === surest?.week) ?? highest
  if (worst === undefined) return undefined
  const { from: week, whole } = worst
  const { key, keyPart } = await worstKeyOf(source, week, KIND_OF_WEEK)
  const shareElsewhere = shareOf(month.hits - whole.hits, month.of - whole.of)
  return { week, share: shareIn(worst), shareElsewhere, key, keyPart }
}

/** Whether a finding is a week that was worse than the rest of the month. */
export function isWorseWeekOf(kind: Kind['kind']): (finding: QualityTest) => boolean {
  return (finding) =>
    finding.kind.kind === kind && finding.week !== undefined && finding.difference > 0
}

/** The session key with most of a week's bad sessions, of which there are some, and its part of them. */
export async function worstKeyOf(
  { db, timeZone, month, sessionsBetween }: SessionSource,
  week: string,
  { column }: Pick<Kind, 'column'>,
): Promise<{ key: string; keyPart: number }> {
  const fromMs = zonedDayStartMs(week, timeZone)
  const nextMs = zonedDayStartMs(addDays(mondayOf(week), 7), timeZone)
  const sessions = sessionsBetween(fromMs, Math.min(nextMs, month.toMs))
  const row = await db
    .selectFrom(sessions.as('s'))
    .select([sessionKey.as('key'), rowCount.as('bad')])
    .select(sql<number>`(sum(count(*)) over ())::float8`.as('all'))
    .where(`s.${column}`, '=', 'bad')
    .groupBy(sessionKey)
    .orderBy(({ eb }) => eb(sessionKey, '=', NO_KEY))
    .orderBy('bad', 'desc')
    .orderBy(sessionKey)
    .limit(1)
    .executeTakeFirst()
  return row === undefined
    ? { key: NO_KEY, keyPart: 0 }
    : { key: row.key, keyPart: row.bad / row.all }
}

function shareIn({ whole }: Week): number {
  return whole.hits / whole.of
}

const KIND_OF_WEEK = { column: 'audio_quality' } as const
