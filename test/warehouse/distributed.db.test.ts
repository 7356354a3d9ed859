import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

/**
 * What a Postgres that spreads tables over machines may refuse: by the catalog of a migrated database, and by
 * the SQL in the source. docs/scale.md says what each such system makes of it.
 */
const ROOT = join(import.meta.dirname, '..', '..')

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 1 })

const TABLES = `(
  select c.oid, format('%s.%s', n.nspname, c.relname) as name, n.nspname as schema, c.relkind,
    exists (select from pg_attribute where attrelid = c.oid and attname = 'account') as has_account
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('callsheet', 'svc', 'history', 'report') and c.relkind in ('r', 'p')
    and not c.relispartition)`

async function names(query: string): Promise<string[]> {
  const { rows } = await sql.raw<{ name: string }>(query).execute(warehouse.db)
  return rows.map(({ name }) => name)
}

/** The names of the tables for which the condition holds. */
const tablesWhere = (condition: string): Promise<string[]> =>
  names(`select name from ${TABLES} t where ${condition} order by name collate "C"`)

const uniqueWithoutAccount = `exists (
  select from pg_index where indrelid = t.oid and indisunique and not (
    select attnum from pg_attribute where attrelid = t.oid and attname = 'account') = any(indkey))`
const triggers = (condition: string) =>
  `exists (select from pg_trigger where tgrelid = t.oid and not tgisinternal and ${condition})`
const constraints = (condition: string) =>
  names(`select conrelid::regclass::text as name from pg_constraint
    where connamespace::regnamespace::text in ('callsheet', 'svc', 'history', 'report') and ${condition}`)

describe('in a migrated database,', () => {
  it('every table of rows, and no other, has statement triggers with transition tables', async () => {
    const noted = await tablesWhere(triggers('(tgoldtable is not null or tgnewtable is not null)'))
    expect(noted).toEqual(await tablesWhere(`schema in ('svc', 'history')`))
    expect(noted).toHaveLength(66)
  })

  it('only six tables have other triggers', async () => {
    const all = await tablesWhere(triggers('tgoldtable is null and tgnewtable is null'))
    expect(all).toEqual([
      'callsheet.audit_settings',
      'callsheet.checkpoints',
      'callsheet.files',
      'callsheet.manifest',
      'callsheet.marks',
      'callsheet.tree_tiles',
    ])
  })

  it('of the tables with an account, only that of alerts has a unique key without it', async () => {
    expect(await tablesWhere(`has_account and ${uniqueWithoutAccount}`)).toEqual([
      'callsheet.alerts',
    ])
    expect(await tablesWhere(`schema = 'svc' and has_account`)).toHaveLength(33)
  })

  it('only five tables have no account', async () => {
    expect(await tablesWhere('not has_account')).toEqual([
      'callsheet.machines',
      'callsheet.migrations',
      'callsheet.migrations_lock',
      'callsheet.retention',
      'report.labels',
    ])
  })

  it('eleven tables have an identity column, and their primary key begins with the account', async () => {
    const identity = `exists (select from pg_attribute where attrelid = t.oid and attidentity <> '')`
    expect(await tablesWhere(identity)).toEqual([
      'callsheet.audit_settings',
      'callsheet.calls',
      'callsheet.erasure_requests',
      'callsheet.holds',
      'callsheet.incidents',
      'callsheet.notifications',
      'callsheet.published_reports',
      'callsheet.quarantine',
      'callsheet.runs',
      'callsheet.task_runs',
      'callsheet.written',
    ])
    const keyed = `exists (select from pg_constraint where conrelid = t.oid and contype = 'p'
      and pg_get_constraintdef(oid) = 'PRIMARY KEY (account, id)')`
    expect(await tablesWhere(`${identity} and ${keyed}`)).toHaveLength(11)
  })

  it('every partitioned table is partitioned by range', async () => {
    const parted = await tablesWhere(`relkind = 'p' and pg_get_partkeydef(oid) like 'RANGE%'`)
    expect(parted).toEqual(await tablesWhere(`relkind = 'p'`))
    expect(parted.filter((name) => !name.startsWith('history.'))).toEqual([
      'callsheet.quota',
      'callsheet.slices',
    ])
    expect(parted).toHaveLength(35)
  })

  it('there are no foreign keys, deferrable or exclusion constraints', async () => {
    expect(await constraints(`contype = 'f'`)).toEqual([])
    expect(await constraints('condeferrable')).toEqual([])
    expect(await constraints(`contype = 'x'`)).toEqual([])
    // The condition is one that can hold.
    expect((await constraints(`contype = 'p'`)).length).toBeGreaterThan(40)
  })

  it('only two functions take an advisory lock', async () => {
    const functions = await names(`select proname as name from pg_proc
      where pronamespace = 'callsheet'::regnamespace and prosrc like '%advisory%' order by proname`)
    expect(functions).toEqual(['drop_old_month', 'make_partitions'])
  })
})

describe('in the source,', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, 'src', path), 'utf8') }))
  const matching = (pattern: RegExp): string[] =>
    sources
      .filter(({ text }) => pattern.test(text))
      .map(({ path }) => path)
      .toSorted()

  it('only warehouse/advisory-lock.ts takes advisory locks, for eight other files', () => {
    expect(matching(/pg_(try_)?advisory/)).toEqual(['warehouse/advisory-lock.ts'])
    expect(matching(/lockText\(tx/)).toEqual([
      'archive/sql/holds.ts',
      'evidence/sql/manifest.ts',
      'report/lake/export-lake.ts',
      'serve/ledger/alerts.ts',
      'serve/notifications/stored-notifications.ts',
      'warehouse/comments.ts',
      'warehouse/keep-out/erasure-locks.ts',
      'warehouse/ledger/runs.ts',
    ])
  })

  it('only report/keep-rows.ts creates temporary tables', () => {
    expect(matching(/create temp/i)).toEqual(['report/keep-rows.ts'])
  })

  it('only three files use COPY', () => {
    expect(matching(/[`']copy (\(|svc)/)).toEqual([
      'warehouse/load/copy-rows.ts',
      'warehouse/load/fingerprints.ts',
      'warehouse/move/copy-account.ts',
    ])
  })

  it('no file uses LISTEN or NOTIFY', () => {
    expect(matching(/pg_notify|[`'](listen|notify) |useListenNotify/)).toEqual([])
  })
})

describe('the section on distributed Postgres in docs/scale.md', () => {
  let section: string
  beforeAll(() => {
    const page = readFileSync(join(ROOT, 'docs', 'scale.md'), 'utf8')
    section = page.split('\n## Distributed Postgres\n')[1]?.split('\n## ')[0] ?? ''
  })

  it('states these numbers', () => {
    const counted = section
      .split('\n')
      .flatMap((line) => /^\| ([^|]+?) +\| (\d+) /.exec(line)?.slice(1, 3).join(': ') ?? [])
    expect(counted).toEqual([
      'tables with statement triggers that read the changed rows: 66',
      'tables with other triggers: 6',
      'tables with a unique key without the account: 1',
      'tables without an account: 5',
      'tables with an identity column: 11',
      'tables partitioned by month: 35',
      'foreign keys, deferrable or exclusion constraints: 0',
      'parts of the source that take advisory locks: 8',
      'files with temporary tables: 1',
      'files with COPY: 3',
      'files with LISTEN or NOTIFY: 0',
    ])
  })

  it('says of each system that it was not tried', () => {
    for (const name of ['Citus', 'YugabyteDB', 'CockroachDB'])
      expect(section).toMatch(new RegExp(`${name}[^.\\n]*NOT RUN`))
  })
})
