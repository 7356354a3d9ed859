import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrations } from '../../src/account/migrations.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { emptyDatabase, type TestDatabase } from '../helpers/database.ts'
import { FOREIGN_DEFAULTS, setForeignDefaults } from '../helpers/foreign-defaults.ts'

let database: TestDatabase
let warehouse: Warehouse
beforeAll(async () => {
  database = await emptyDatabase()
  await setForeignDefaults(database.url)
  warehouse = connect({ url: database.url })
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

describe('a database with unusual default settings', () => {
  it('sets them as defaults of its connections', async () => {
    const { rows } = await sql<{ setting: string }>`
      select unnest(setconfig) as setting from pg_db_role_setting join pg_database d on d.oid = setdatabase
      where d.datname = current_database()`.execute(warehouse.db)
    expect(rows).toContainEqual({ setting: 'default_transaction_isolation=serializable' })
    expect(rows.length).toBeGreaterThanOrEqual(Object.keys(FOREIGN_DEFAULTS).length)
  })

  it.each(Object.entries(ours()))(
    'has %s set to %s on each of our connections',
    async (name, wanted) => {
      for (const db of [warehouse.db, warehouse.apart]) {
        const { rows } = await sql<{ value: string }>`
        select current_setting(${name}, true) as value`.execute(db)
        expect(rows[0]?.value ?? 'unknown').toMatch(new RegExp(`^(${wanted}|unknown)$`))
      }
    },
  )

  it('has unusual settings only if our connections set them or do not depend on them', () => {
    const named = [...Object.keys(ours()), ...NOT_OURS]
    expect(Object.keys(FOREIGN_DEFAULTS).filter((name) => !named.includes(name))).toEqual([])
  })

  it('can be used and migrated', async () => {
    await warehouse.ping()
    expect(await migrate(warehouse, migrations)).toEqual(Object.keys(migrations))
  })

  it('returns and accepts values unchanged', async () => {
    const values = { at: '2026-02-01T03:04:05.123456Z', bytes: Buffer.from([0, 92, 255]) }
    const { rows } =
      await sql`select ${values.at}::timestamptz as at, ${values.bytes}::bytea as bytes,
      ${['a', null]}::text[] as list, 'a\\b' as text, 0.1::float8 + 0.2 as float, ${'é€'}::text as letters,
      null = null as nothing`.execute(warehouse.db)
    expect(rows).toEqual([
      {
        ...values,
        list: ['a', null],
        text: 'a\\b',
        float: 0.30000000000000004,
        letters: 'é€',
        nothing: null,
      },
    ])
  })
})

describe('a role whose triggers are off and which may not turn them on', () => {
  it('is refused with a remedy', async () => {
    const role = `r_${database.url.slice(-12)}`
    await sql`create role ${sql.id(role)} login password 'p'`.execute(warehouse.db)
    await sql`alter role ${sql.id(role)} set session_replication_role = replica`.execute(
      warehouse.db,
    )
    const url = new URL(database.url)
    Object.assign(url, { username: role, password: 'p' })
    const theirs = connect({ url: url.href, poolSize: 1 })
    await expect(theirs.ping()).rejects.toMatchObject({
      code: 'database_settings',
      facts: { todo: expect.stringContaining('reset session_replication_role') as string },
    })
    await theirs.close()
    await sql`drop role ${sql.id(role)}`.execute(warehouse.db)
  })
})

/** Values are regular expressions. */
function ours(): Record<string, string> {
  return {
    default_transaction_isolation: 'read committed',
    default_transaction_deferrable: 'off',
    statement_timeout: '2min',
    lock_timeout: '15s',
    idle_in_transaction_session_timeout: '1min',
    idle_session_timeout: '0',
    transaction_timeout: '0',
    search_path: 'pg_catalog, ?pg_temp',
    DateStyle: 'ISO, .*',
    IntervalStyle: 'iso_8601',
    TimeZone: 'UTC',
    bytea_output: 'hex',
    extra_float_digits: '1',
    standard_conforming_strings: 'on',
    array_nulls: 'on',
    transform_null_equals: 'off',
    quote_all_identifiers: 'off',
    client_encoding: 'UTF8',
    row_security: 'off',
    session_replication_role: 'origin',
    exit_on_error: 'off',
    plan_cache_mode: 'auto',
    ...Object.fromEntries(
      Object.keys(FOREIGN_DEFAULTS).flatMap((name) =>
        name.startsWith('enable_') ? [[name, 'on']] : [],
      ),
    ),
  }
}

/** Settings for warnings, and settings that none of our statements depends on. */
const NOT_OURS = [
  'escape_string_warning',
  'backslash_quote',
  'client_min_messages',
  'default_statistics_target',
  'check_function_bodies',
]
