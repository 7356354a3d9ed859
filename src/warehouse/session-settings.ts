import type { Kysely } from 'kysely'
import { LoadError } from '../core/errors.ts'
import { POOLER_ADVICE } from './database-errors.ts'
import type { QueryClient } from './kysely-driver.ts'

/** Returns the settings that our statements rely on, as options for each new connection. */
export function sessionSettings(frozenNow: number | undefined): string {
  const settings = Object.entries(NEEDED).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
  )
  if (frozenNow !== undefined)
    settings.push(`-c callsheet.now=${new Date(frozenNow).toISOString()}`)
  return settings.join(' ')
}

/**
 * Sets two settings that cannot be startup options: `transaction_timeout` exists only from Postgres 17 on,
 * and `session_replication_role` needs a privilege. Without the privilege the second stays unchanged, and
 * `checkSettings` refuses any value but the default.
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
 * Throws if a connection has other settings: a pooler in front of the server may drop startup options, and
 * times and names would be read differently.
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
    // After the comma comes the order of day and month, which does not affect ISO dates.
    const same = now === value || (name === 'DateStyle' && now.startsWith(`${value},`))
    return same ? [] : [`${name} is ${now}, not ${value}`]
  })
  const role = came.get(TRIGGERS) ?? 'origin'
  if (other.length === 0 && role !== 'origin') throw triggersOff(role, place)
  if (other.length === 0) return
  throw new LoadError('database_pooler', {
    tried: `Connecting to the database at ${place}`,
    expected: 'a connection that keeps its initial settings',
    came: other.join('; '),
    todo: POOLER_ADVICE,
  })
}

/** The error of a session without triggers: nothing would prevent changes to signed entries. */
function triggersOff(role: string, place: string): LoadError {
  return new LoadError('database_settings', {
    tried: `Checking session_replication_role of the database at ${place}`,
    expected: 'origin, so that triggers protect the evidence',
    came: `the setting is ${role}, and this database role is not allowed to change it`,
    todo: 'as the administrator of the server, run: alter role NAME reset session_replication_role',
  })
}

/**
 * Settings for which a role or database may have other defaults. The pool sets the time limits.
 * `default_transaction_read_only` is left alone: providers use it to stop writes to a full disk, or to a
 * server that was replaced.
 */
const NEEDED = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'iso_8601',
  // Statements name each table with its schema; other schemas cannot replace functions or types.
  search_path: 'pg_catalog,pg_temp',
  // Transactions that need a stricter level request it; as a default it would abort many concurrent writes.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Policies must not hide rows silently: with this setting, a query that a policy would filter fails.
  row_security: 'off',
  // Formats in both directions. Leaf hashes in the evidence cover these texts.
  client_encoding: 'UTF8',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  // The pool itself closes idle connections, and continues after an error.
  idle_session_timeout: '0',
  exit_on_error: 'off',
  // Statements that need another plan switch methods off locally, and rely on the rest being on.
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
