import { sql } from 'kysely'
import { connect } from '../../src/warehouse/connect.ts'

/** Defaults that somebody may have set for a role or database: all differ from ours. */
export const FOREIGN_DEFAULTS: Readonly<Record<string, string>> = {
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  statement_timeout: '1s',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '1ms',
  idle_session_timeout: '1ms',
  search_path: 'callsheet, svc',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kolkata',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  standard_conforming_strings: 'off',
  escape_string_warning: 'off',
  backslash_quote: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  client_encoding: 'LATIN1',
  row_security: 'on',
  session_replication_role: 'replica',
  exit_on_error: 'on',
  plan_cache_mode: 'force_generic_plan',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_nestloop: 'off',
  enable_indexscan: 'off',
  enable_indexonlyscan: 'off',
  enable_bitmapscan: 'off',
  enable_seqscan: 'off',
  enable_sort: 'off',
  enable_hashagg: 'off',
  enable_partition_pruning: 'off',
  client_min_messages: 'debug1',
  default_statistics_target: '1',
  check_function_bodies: 'off',
}

/** Sets them; `transaction_timeout` only if the server has it. */
export async function setForeignDefaults(url: string): Promise<void> {
  const admin = connect({ url, poolSize: 1 })
  const database = new URL(url).pathname.slice(1)
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(admin.db)
  const newer = (rows[0]?.version ?? 0) >= 170_000 ? { transaction_timeout: '2s' } : {}
  for (const [name, value] of Object.entries({ ...FOREIGN_DEFAULTS, ...newer })) {
    // In a list, each value is quoted separately.
    const values = sql.join(value.split(', ').map((one) => sql.lit(one)))
    await sql`alter database ${sql.id(database)} set ${sql.id(name)} = ${values}`.execute(admin.db)
  }
  await admin.close()
}
