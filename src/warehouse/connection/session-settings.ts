import type { Kysely } from 'kysely'
import { LoadError } from '../../core/errors/errors.ts'

/** What every statement of ours counts on, for each new connection in command-line style. */
export function sessionSettings(frozenNow: number | undefined): string {
  const settings = Object.entries(NEEDED).map(([name, value]) => `-c ${name}=${value}`)
  if (frozenNow !== undefined)
    settings.push(`-c callsheet.now=${new Date(frozenNow).toISOString()}`)
  return settings.join(' ')
}

/**
 * Refuses a connection without them: a pool between us and the server may drop what a connection begins
 * with, and times and names would be read in another way.
 */
export async function checkSettings<T>(db: Kysely<T>, place: string): Promise<void> {
  const row = await db
    .selectNoFrom(({ fn, val }) =>
      Object.keys(NEEDED).map((name) => fn<string>('current_setting', [val(name)]).as(name)),
    )
    .executeTakeFirstOrThrow()
  const came = new Map<string, string>(Object.entries(row))
  const other = Object.entries(NEEDED).flatMap(([name, value]) => {
    const now = came.get(name)?.replaceAll(' ', '') ?? 'nothing'
    // What follows is the order of day and month, which ISO does not ask for.
    const same = now === value || (name === 'DateStyle' && now.startsWith(`${value},`))
    return same ? [] : [`${name} is ${now}, not ${value}`]
  })
  if (other.length === 0) return
  throw new LoadError('database_pooler', {
    tried: `connecting to the database at ${place}`,
    expected: 'a connection that keeps the settings that it begins with',
    came: other.join('; '),
    todo: POOLER_ADVICE,
  })
}

/** A blank inside a value would need a backslash. */
const NEEDED = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'iso_8601',
  // Statements name each table with its schema. Objects of other schemas must not stand in for functions or
  // types.
  search_path: 'pg_catalog,pg_temp',
}

export const POOLER_ADVICE =
  'let database.url lead to Postgres itself, not to a pool such as PgBouncer: Callsheet has a pool of its own'
