import { zonedDayStartMs } from '../../src/core/time/zone.ts'
import { addDays, mondayOf } from '../shared/calendar.ts'
import { rowCount } from '../shared/expressions.ts'
import { type Facts, numberOf, qualityOf, shareOf } from './facts.ts'
import { NO_KEY, type SessionSource, sessionKey } from './source.ts'

export interface WorstWeek {
  /** Its Monday, or the first day of the month. */
  week: string
  share: number
  /** Bad share in the month without that week; null when there was nothing else. */
  shareElsewhere: number | null
  key: string
  /** The key's part of the week's sessions with bad audio. */
  keyPart: number
  /** Clearly worse than the rest, and not just a handful of sessions. */
  standsOut: boolean
}

/** The week with the most bad audio for its number of rated sessions; undefined when none was bad. */
export async function worstWeek(
  source: SessionSource,
  facts: Facts,
): Promise<WorstWeek | undefined> {
  const weeks = weeksOf(source, facts)
  const sum = (name: 'rated' | 'bad') => weeks.reduce((total, week) => total + week[name], 0)
  const [rated, bad] = [sum('rated'), sum('bad')]
  // A week with hardly a session says little, so it leads only when there is no other.
  const busy = (week: Week): number => Number(week.rated >= rated * 0.05)
  const [worst] = weeks
    .filter((week) => week.bad > 0)
    .sort((a, b) => busy(b) - busy(a) || b.bad / b.rated - a.bad / a.rated)
  if (worst === undefined) return undefined
  const { session_key: key, bad: badOfKey } = await worstKeyOf(source, worst.from)
  const share = worst.bad / worst.rated
  const shareElsewhere = shareOf(bad - worst.bad, rated - worst.rated)
  const standsOut = worst.bad >= FEWEST_BAD && share >= Math.max(0.05, 2 * (shareElsewhere ?? 0))
  return { week: worst.from, share, shareElsewhere, key, keyPart: badOfKey / worst.bad, standsOut }
}

interface Week {
  from: string
  rated: number
  bad: number
}

/** In order; the first begins with the month. */
function weeksOf({ month }: SessionSource, { days }: Facts): Week[] {
  const weeks = new Map<string, Week>()
  for (const [day, counts] of [...days].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const monday = mondayOf(day)
    const from = monday < `${month.label}-01` ? `${month.label}-01` : monday
    const week = weeks.get(from) ?? { from, rated: 0, bad: 0 }
    week.rated += Number(qualityOf(counts, 'audio').rated)
    week.bad += numberOf(counts, 'audio_bad')
    weeks.set(from, week)
  }
  return [...weeks.values()]
}

/** The session key with most of the week's bad audio, of which there is some. */
async function worstKeyOf(
  { db, timeZone, month, sessionsBetween }: SessionSource,
  week: string,
): Promise<{ session_key: string; bad: number }> {
  const fromMs = zonedDayStartMs(week, timeZone)
  const nextMs = zonedDayStartMs(addDays(mondayOf(week), 7), timeZone)
  const sessions = sessionsBetween(fromMs, Math.min(nextMs, month.toMs))
  const row = await db
    .selectFrom(sessions.as('s'))
    .select([sessionKey.as('session_key'), rowCount.as('bad')])
    .where('s.audio_quality', '=', 'bad')
    .groupBy(sessionKey)
    .orderBy(({ eb }) => eb(sessionKey, '=', NO_KEY))
    .orderBy('bad', 'desc')
    .orderBy(sessionKey)
    .limit(1)
    .executeTakeFirst()
  return row ?? { session_key: NO_KEY, bad: 0 }
}

const FEWEST_BAD = 5
