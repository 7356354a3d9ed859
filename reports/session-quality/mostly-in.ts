import { sql } from 'kysely'
import { devianceOf, type Share } from '../shared/statistics.ts'
import { excessOf, minus } from '../shared/without-any-week.ts'
import { beginningsOf, countByBeginning, type SessionKeySource } from './key-words.ts'
import { NO_KEY, type QualityKind } from './source.ts'

/**
 * Returns a session key, or a common beginning of keys (`sales-emea` of `sales-emea-daily`). At least half of
 * the week's bad sessions have it, and its share of bad sessions is clearly higher than that of the others.
 * Undefined if no key or beginning qualifies.
 */
export async function mostlyIn(
  source: SessionKeySource,
  week: string,
  { kind }: QualityKind,
): Promise<string | undefined> {
  const inWeek = source.db
    .selectFrom(source.keyWeeks.as('k'))
    .where('k.week', '=', week)
    .where('k.session_key', '<>', NO_KEY)
  const [of, hits] = [`k.${kind}_rated`, `k.${kind}_bad`] as const
  const whole = await inWeek
    .select(sql<number>`coalesce(sum(${sql.ref(of)}), 0)::float8`.as('of'))
    .select(sql<number>`coalesce(sum(${sql.ref(hits)}), 0)::float8`.as('hits'))
    .executeTakeFirstOrThrow()
  const worst = await inWeek
    .select('k.session_key')
    .where(hits, '>', 0)
    .orderBy(hits, 'desc')
    .orderBy('k.session_key')
    .limit(MOST_KEYS)
    .execute()
  const names = mostFrequent(worst.flatMap(({ session_key }) => beginningsOf(session_key)))
  const parts = await countByBeginning(source, names, { kind }).where('k.week', '=', week).execute()
  const [most] = parts
    .filter((part) => part.hits * 2 >= whole.hits)
    .map((part) => ({ name: part.name, fit: fitOf(part, minus(whole, part)) }))
    .filter(({ fit }) => fit >= LEAST_FIT)
    .toSorted((a, b) => b.fit - a.fit)
  return most?.name
}

function mostFrequent(names: readonly string[]): string[] {
  const counted = [...Map.groupBy(names, (name) => name)]
  const order = counted.toSorted(([, a], [, b]) => b.length - a.length)
  return order.slice(0, MOST_NAMES).map(([name]) => name)
}

function fitOf(part: Share, rest: Share): number {
  return rest.of > 0 && excessOf(part, rest) > 0 ? devianceOf(part, rest) : 0
}

/** The most keys, and below the most names, that are compared: a month may have a key for each session. */
const MOST_KEYS = 100
const MOST_NAMES = 12
/** The minimum deviance: the 99.9 % quantile of chi-square with 1 degree of freedom. */
const LEAST_FIT = 10.83
