import { sql } from 'kysely'
import type { Note } from '../../src/core/define/report.ts'
import type { Period } from '../../src/core/define/report-period.ts'
import { uncovered } from '../../src/core/time/uncovered.ts'
import { addMonths, zonedDayStartMs } from '../../src/core/time/zone.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { note } from '../shared/blocks.ts'
import { queryRows } from '../shared/query.ts'
import { wilson } from '../shared/statistics.ts'
import { intervalText, monthName, percent } from '../shared/words.ts'
import type { Counts } from './facts.ts'
import { badOf } from './kind-shares.ts'
import { BAD_OR_NOT } from './read-facts.ts'
import { KINDS, type SessionSource, sessionsBetween } from './source.ts'

/**
 * Says how the same month was a year before. Says nothing if none of it was read, or if the month is in
 * progress, which no whole month can be compared with.
 */
export async function yearBeforeNote(source: SessionSource): Promise<Note[]> {
  if (source.asOfMs < source.month.toMs) return []
  const then = yearBefore(source)
  if (uncovered(then, await source.unreadIn(then)).length === 0) return []
  const name = `A year before, in ${monthName(then.label)}`
  if (!(await source.coveredIn(then)))
    return [note('plain', `${name}: unknown, because that month was not read completely.`)]
  const [counts = {}] = await queryRows<Counts>(
    source.db,
    sql`select count(*)::float8 as sessions, ${BAD_OR_NOT} from ${sessionsBetween(source, then)} s`,
  )
  const { sessions } = counts
  const shares = KINDS.flatMap(({ kind, title }) => {
    const share = badOf(counts, kind)
    if (share.of === 0) return []
    const bad = percent(share.hits / share.of)
    return [`bad ${title.toLowerCase()} ${bad} (95 %: ${intervalText(wilson(share))})`]
  })
  const rated = shares.length === 0 ? 'no session was rated' : shares.join(', ')
  return [note('plain', `${name}: ${counted(sessions ?? 0, 'session')}; ${rated}.`)]
}

function yearBefore({ month, timeZone }: SessionSource): Period {
  const label = addMonths(month.label, -12)
  return {
    fromMs: zonedDayStartMs(`${label}-01`, timeZone),
    toMs: zonedDayStartMs(`${addMonths(label, 1)}-01`, timeZone),
    label,
  }
}
