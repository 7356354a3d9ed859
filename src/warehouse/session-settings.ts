import type { Kysely } from 'kysely'
import { LoadError } from '../core/errors.ts'
import { POOLER_ADVICE } from './database-errors.ts'
import type { QueryClient } from './kysely-driver.ts'

/** What every statement of ours counts on, for each new connection in command-line style. */
export function sessionSettings(frozenNow: number | undefined): string {
  const settings = Object.entries(NEEDED).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
  )
  if (frozenNow !== undefined)
    settings.push(`-c callsheet.now=${new Date(frozenNow).toISOString()}`)
  return settings.join(' ')
}

/**
 * Sets what a connection cannot begin with: Postgres 17 added one, and the other one needs a right. A
 * connection that lacks the right has it right, as a rule.
 */
export async function setRest(client: QueryClient): Promise<void> {
  await client.query({ text: REST, values: [], query_timeout: 30_000 })
}

const TRIGGERS = 'session_replication_role'
const REST = `select set_config(name, wanted, false)
  from (values ('transaction_timeout', '0'), ('session_replication_role', 'origin')) as rest(name, wanted)
  where current_setting(name, true) <> wanted
    and (name = 'transaction_timeout' or has_parameter_privilege(name, 'set'))`

/**
 * Refuses a connection without them: a pool between us and the server may drop what a connection begins
 * with, and times and names would be read in another way.
 */
export async function checkSettings<T>(db: Kysely<T>, place: string): Promise<void> {
  const row = await db
    .selectNoFrom(({ fn, val }) =>
      [...Object.keys(NEEDED), TRIGGERS].map((name) =>
        fn<string>('current_setting', [val(name)]).as(name),
      ),
    )
    .executeTakeFirstOrThrow()
  const came = new Map<string, string>(Object.entries(row))
  const other = Object.entries(NEEDED).flatMap(([name, value]) => {
    const now = came.get(name)?.replaceAll(', ', ',') ?? 'nothing'
    // What follows is the order of day and month, which ISO does not ask for.
    const same = now === value || (name === 'DateStyle' && now.startsWith(`${value},`))
    return same ? [] : [`${name} is ${now}, not ${value}`]
  })
  const role = came.get(TRIGGERS) ?? 'origin'
  if (other.length === 0 && role !== 'origin') throw triggersOff(role, place)
  if (other.length === 0) return
  throw new LoadError('database_pooler', {
    tried: `connecting to the database at ${place}`,
    expected: 'a connection that keeps the settings that it begins with',
    came: other.join('; '),
    todo: POOLER_ADVICE,
  })
}

/** Without triggers nothing keeps signed entries from being changed. */
function triggersOff(role: string, place: string): LoadError {
  return new LoadError('database_settings', {
    tried: `connecting to the database at ${place}`,
    expected: 'session_replication_role=origin, so that triggers guard the evidence',
    came: `session_replication_role=${role}, which this role may not change`,
    todo: 'as the administrator of the server: alter role NAME reset session_replication_role',
  })
}

/**
 * A role or a database may have other defaults of its own for each of these. The limits of time are given by
 * the pool. `default_transaction_read_only` stays as it is: with it providers stop writes to a full disk, or
 * to a server that was replaced.
 */
const NEEDED = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'iso_8601',
  // Statements name each table with its schema. Objects of other schemas must not stand in for functions or
  // types.
  search_path: 'pg_catalog,pg_temp',
  // A transaction that needs more says so. A stricter default would end each of them when others write.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Policies must not hide rows unseen: with this setting a query that they concern fails.
  row_security: 'off',
  // How values and names are written, and read; the leaves of rows are over texts as they are sent.
  client_encoding: 'UTF8',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  // The pool ends idle connections, and goes on after an error.
  idle_session_timeout: '0',
  exit_on_error: 'off',
  // Statements that need another plan forbid some ways for themselves, and count on the rest.
  plan_cache_mode: 'auto',
  enable_bitmapscan: 'on',
  enable_hashagg: 'on',
  enable_hashjoin: 'on',
  enable_indexonlyscan: 'on',
  enable_indexscan: 'on',
  enable_mergejoin: 'on',
  enable_nestloop: 'on',
  enable_partition_pruning: 'on',
  enable_seqscan: 'on',
  enable_sort: 'on',
}
