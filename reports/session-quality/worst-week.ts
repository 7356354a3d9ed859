import { sql } from 'kysely'
import { queryRows } from '../shared/query.ts'
import { NO_KEY, sessionKey, type SessionSource } from './source.ts'

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
export async function worstWeek({ db, sessions }: SessionSource): Promise<WorstWeek | undefined> {
  const query = sql`
    with rated as (
      select greatest(date_trunc('week', day)::date, date_trunc('month', day)::date) as week,
        ${sessionKey} as session_key, audio_quality = 'bad' as bad
      from ${sessions} s where audio_quality is not null),
    weeks as (
      select week, count(*) as rated, count(*) filter (where bad) as bad,
        sum(count(*)) over () as all_rated, sum(count(*) filter (where bad)) over () as all_bad
      from rated group by week),
    worst as (
      select * from weeks where bad > 0
      order by rated >= all_rated * 0.05 desc, bad::float8 / rated desc, week limit 1),
    keys as (
      select session_key, count(*) as bad from rated join worst using (week)
      where rated.bad group by session_key
      order by session_key = ${NO_KEY}, 2 desc, 1 limit 1)
    select week::text as week, worst.bad::int as bad, worst.bad::float8 / rated as share,
      (all_bad - worst.bad)::float8 / nullif(all_rated - rated, 0)::float8 as share_elsewhere,
      session_key, keys.bad::float8 / worst.bad as key_part
    from worst cross join keys`
  const [row] = await queryRows<Row>(db, query)
  if (row === undefined) return undefined
  const { week, bad, share, share_elsewhere: elsewhere, session_key: key, key_part } = row
  const standsOut = bad >= FEWEST_BAD && share >= Math.max(0.05, 2 * (elsewhere ?? 0))
  return { week, share, shareElsewhere: elsewhere, key, keyPart: key_part, standsOut }
}

const FEWEST_BAD = 5

interface Row extends Readonly<Record<string, string | number | null>> {
  week: string
  bad: number
  share: number
  share_elsewhere: number | null
  session_key: string
  key_part: number
}
