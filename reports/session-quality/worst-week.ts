import { sql } from 'kysely'
import { sumOf } from '../shared/statistics.ts'
import { type QualityFacts, shareOf } from './facts.ts'
import type { KeyWeeks } from './key-weeks.ts'
import { NO_KEY, type QualityKind, type SessionSource } from './source.ts'
import { findingsOf, type QualityTest } from './tests.ts'
import { type Week, weeksOf } from './weeks.ts'

export interface WorstWeek {
  /** Its Monday, or the first day of the month. */
  week: string
  share: number
  /** The bad share of the month without that week; null if there are no other sessions. */
  shareElsewhere: number | null
  key: string
  /** The key's part of the week's sessions with bad audio. */
  keyPart: number
}

/** The data for session keys by week. */
export interface SessionKeySource extends Pick<SessionSource, 'db'> {
  keyWeeks: KeyWeeks
}

/**
 * Returns the week that stands out most for bad audio, or else the week with the highest share of it. Returns
 * undefined if no session was bad.
 */
export async function worstWeek(
  where: SessionKeySource,
  { days }: QualityFacts,
  tests: readonly QualityTest[],
): Promise<WorstWeek | undefined> {
  const weeks = weeksOf(days, 'audio')
  const month = sumOf(weeks.map(({ whole }) => whole))
  // A week with hardly any sessions is chosen only if there is no other.
  const busy = ({ whole }: Week): number => Number(whole.of >= month.of * 0.05)
  const [highest] = weeks
    .filter(({ whole }) => whole.hits > 0)
    .sort((a, b) => busy(b) - busy(a) || shareIn(b) - shareIn(a))
  const surest = findingsOf(tests).find(isWorseWeekOf('audio'))
  const found = surest?.question.of === 'week' ? surest.question.week : undefined
  const worst = weeks.find(({ from }) => from === found) ?? highest
  if (worst === undefined) return undefined
  const { from: week, whole } = worst
  const { key, keyPart } = await worstKeyOf(where, week, { kind: 'audio' })
  const shareElsewhere = shareOf(month.hits - whole.hits, month.of - whole.of)
  return { week, share: shareIn(worst), shareElsewhere, key, keyPart }
}

/** Whether a finding is a week that was worse than the rest of the month. */
export function isWorseWeekOf(kind: QualityKind['kind']): (finding: QualityTest) => boolean {
  return ({ question, difference, kind: of }) =>
    of.kind === kind && question.of === 'week' && difference > 0
}

/**
 * Returns the session key with most of a week's bad sessions, and its share of them. The week must have a bad
 * session.
 */
export async function worstKeyOf(
  { db, keyWeeks }: SessionKeySource,
  week: string,
  { kind }: Pick<QualityKind, 'kind'>,
): Promise<{ key: string; keyPart: number }> {
  const bad = sql<number>`sum(${sql.ref(`k.${kind}_bad`)})::int`
  const row = await db
    .selectFrom(keyWeeks.as('k'))
    .select(['k.session_key as key', bad.as('bad')])
    .select(sql<number>`(sum(sum(${sql.ref(`k.${kind}_bad`)})) over ())::float8`.as('all'))
    .where('k.week', '=', week)
    .groupBy('k.session_key')
    .having(bad, '>', 0)
    .orderBy(({ eb }) => eb('k.session_key', '=', NO_KEY))
    .orderBy('bad', 'desc')
    .orderBy('k.session_key')
    .limit(1)
    .executeTakeFirst()
  return row === undefined
    ? { key: NO_KEY, keyPart: 0 }
    : { key: row.key, keyPart: row.bad / row.all }
}

function shareIn({ whole }: Week): number {
  return whole.hits / whole.of
}
