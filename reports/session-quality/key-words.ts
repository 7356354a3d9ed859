import { sql } from 'kysely'
import type { KeyWeeks } from './key-weeks.ts'
import type { QualityKind, SessionSource } from './source.ts'

/** The data for session keys by week. */
export interface SessionKeySource extends Pick<SessionSource, 'db'> {
  keyWeeks: KeyWeeks
}

/** Returns the beginnings of a key that end before a separator, then the key: `sales`, `sales-emea`. */
export function beginningsOf(key: string): string[] {
  const ends = key.matchAll(/(?<!^)[-_./: ]/g).map(({ index }) => key.slice(0, index))
  return [...ends, key]
}

/** Counts the rated and the bad sessions of all keys that begin with these words, by week. */
export function countByBeginning(
  { db, keyWeeks }: SessionKeySource,
  names: readonly string[],
  { kind }: Pick<QualityKind, 'kind'>,
) {
  const sum = (name: 'rated' | 'bad') =>
    sql<number>`coalesce(sum(${sql.ref(`k.${kind}_${name}`)}), 0)::float8`
  return db
    .selectFrom(keyWeeks.as('k'))
    .innerJoin(sql<{ name: string }>`unnest(${names}::text[])`.as<'n'>(sql`n(name)`), (on) =>
      on.on(sql<boolean>`starts_with(k.session_key, n.name)
        and substr(k.session_key, length(n.name) + 1, 1) = any(${['', ...SEPARATORS]}::text[])`),
    )
    .select(({ eb }) => ['n.name', eb.cast<string>('k.week', 'text').as('week')])
    .select([sum('rated').as('of'), sum('bad').as('hits')])
    .groupBy(['n.name', 'k.week'])
}

const SEPARATORS = ['-', '_', '.', '/', ':', ' ']
