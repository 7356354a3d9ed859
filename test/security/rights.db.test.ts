import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantRoles } from '../../src/warehouse/roles.ts'
import { type Cast, castOfRoles } from './ordinary-owner.ts'

let cast: Cast
beforeAll(async () => {
  cast = await castOfRoles()
})
afterAll(() => cast.close())

describe('the database rights', () => {
  it('of each role match the expected matrix', async () => {
    const { rows } = await sql<Holding>`
      select n.nspname as schema, c.relname as name, role, string_agg(right_, ' ' order by right_) as rights
      from pg_class c join pg_namespace n on n.oid = c.relnamespace,
        unnest(${[cast.writer, cast.reporter, cast.receiver, cast.eraser, cast.stranger]}::text[]) role,
        unnest(${RIGHTS}::text[]) right_
      where n.nspname in ('callsheet', 'svc', 'history', 'report') and c.relkind in ('r', 'p', 'v')
        and has_table_privilege(role, c.oid, right_)
      group by 1, 2, 3 order by 1, 2, 3`.execute(cast.owned.db)
    const held = (role: string) =>
      new Map(
        rows
          .filter((row) => row.role === role)
          .map((row) => [`${row.schema}.${row.name}`, row.rights]),
      )
    expect(held(cast.stranger)).toEqual(new Map())
    expect(distinct(held(cast.reporter))).toEqual({ report: ['SELECT'] })
    expect(Object.fromEntries(held(cast.receiver))).toEqual(INBOX)
    const erased = distinct(held(cast.eraser))
    expect(erased).toMatchObject({
      history: ['DELETE SELECT UPDATE'],
      svc: ['DELETE SELECT UPDATE'],
    })
    expect(erased.report).toBeUndefined()
    expect(Object.fromEntries(held(cast.eraser))).toMatchObject(KEPT_FROM_ERASER)
    expect(held(cast.eraser).has('callsheet.tokens')).toBe(false)
    const { callsheet, ...data } = distinct(held(cast.writer))
    expect(data).toEqual({
      history: ['INSERT SELECT'],
      report: ['SELECT'],
      svc: ['INSERT SELECT UPDATE'],
    })
    expect(callsheet).toHaveLength(4)
    expect(
      Object.fromEntries([...held(cast.writer)].filter(([name]) => name.startsWith('callsheet'))),
    ).toEqual(LEDGERS)
  })

  it('grant nothing to PUBLIC on any schema, table or function', async () => {
    const { rows } = await sql<{ object: string }>`
      select 'schema ' || nspname as object from pg_namespace, aclexplode(nspacl) acl
      where nspname in ('callsheet', 'svc', 'history', 'report') and acl.grantee = 0
      union all
      select 'table ' || c.oid::regclass from pg_class c join pg_namespace n on n.oid = relnamespace,
        aclexplode(relacl) acl
      where nspname in ('callsheet', 'svc', 'history', 'report') and acl.grantee = 0
      union all
      select 'function ' || p.oid::regprocedure from pg_proc p
        join pg_namespace n on n.oid = pronamespace,
        aclexplode(coalesce(proacl, acldefault('f', proowner))) acl
      where nspname in ('callsheet', 'svc', 'history', 'report') and acl.grantee = 0`.execute(
      cast.owned.db,
    )
    expect(rows).toEqual([])
  })

  it('of a function’s owner apply only with a fixed search path', async () => {
    const { rows } = await sql<{ name: string; settings: string[] | null }>`
      select proname as name, proconfig as settings from pg_proc
      where pronamespace = 'callsheet'::regnamespace and prosecdef`.execute(cast.owned.db)
    const names = rows.map(({ name }) => name).sort()
    expect(names).toEqual([
      'drop_old_month',
      'keep_ledger_from',
      'make_partitions',
      'note_rows_by__first_seen_at',
      'note_rows_by_created_date',
      'note_rows_by_start_time',
      'remove_old_rows',
    ])
    for (const { settings } of rows) expect(settings).toContain('search_path=pg_catalog, pg_temp')
  })

  it('are reset by a new grant, and are never granted to the owner of the tables', async () => {
    const { writer: name, reporter: reader, owner } = cast
    await sql`grant delete on svc.users to ${sql.id(reader)}`.execute(cast.owned.db)
    await grantRoles(cast.owned, { writer: name, reporter: reader })
    const kept = await sql<{ kept: boolean }>`
      select has_table_privilege(${reader}, 'svc.users', 'delete') as kept`.execute(cast.owned.db)
    expect(kept.rows).toEqual([{ kept: false }])
    for (const unfit of [owner, 'callsheet', 'nobody-there', `x"; drop schema svc; --`])
      await expect(grantRoles(cast.owned, { writer: unfit })).rejects.toMatchObject({
        code: 'role_unfit',
      })
  })
})

interface Holding {
  schema: string
  name: string
  role: string
  rights: string
}

function distinct(held: ReadonlyMap<string, string>): Record<string, string[]> {
  const bySchema: Record<string, Set<string>> = {}
  for (const [name, rights] of held) (bySchema[name.split('.')[0] ?? ''] ??= new Set()).add(rights)
  return Object.fromEntries(Object.entries(bySchema).map(([schema, set]) => [schema, [...set]]))
}

const RIGHTS = 'SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES TRIGGER'.split(' ')
const INBOX = {
  'callsheet.leases': 'SELECT',
  'callsheet.erasure_requests': 'INSERT SELECT',
  'callsheet.event_states': 'INSERT SELECT UPDATE',
  'callsheet.found_readings': 'SELECT',
  'callsheet.migrations': 'SELECT',
  'callsheet.migrations_lock': 'SELECT',
  'callsheet.notifications': 'INSERT SELECT',
  'callsheet.suppression_keys': 'SELECT',
  'callsheet.suppressions': 'SELECT',
}
/** It takes salts and subjects out of entries, and a trigger keeps it from all else. */
const KEPT_FROM_ERASER = {
  'callsheet.written': 'SELECT',
  'callsheet.manifest': 'INSERT SELECT UPDATE',
  'callsheet.checkpoints': 'INSERT SELECT',
  'callsheet.marks': 'INSERT SELECT',
  'callsheet.tree_tiles': 'INSERT SELECT',
  'callsheet.audit_settings': 'INSERT SELECT',
  'callsheet.runs': 'INSERT SELECT UPDATE',
}
const LEDGERS = {
  'callsheet.marks': 'INSERT SELECT',
  'callsheet.audit_settings': 'INSERT SELECT',
  'callsheet.alerts': 'INSERT SELECT UPDATE',
  'callsheet.batches': 'INSERT SELECT UPDATE',
  'callsheet.deletion_guards': 'INSERT SELECT UPDATE',
  'callsheet.calls': 'INSERT SELECT UPDATE',
  'callsheet.drift': 'INSERT SELECT',
  'callsheet.erasure_requests': 'INSERT SELECT',
  'callsheet.event_states': 'INSERT SELECT UPDATE',
  'callsheet.files': 'INSERT SELECT UPDATE',
  'callsheet.found_readings': 'INSERT SELECT UPDATE',
  'callsheet.checkpoints': 'INSERT SELECT',
  'callsheet.holds': 'INSERT SELECT UPDATE',
  'callsheet.incidents': 'INSERT SELECT',
  'callsheet.manifest': 'INSERT SELECT',
  'callsheet.labels': 'INSERT SELECT UPDATE',
  'callsheet.leases': 'INSERT SELECT UPDATE',
  'callsheet.machines': 'DELETE INSERT SELECT UPDATE',
  'callsheet.migrations': 'SELECT',
  'callsheet.migrations_lock': 'SELECT',
  'callsheet.notifications': 'INSERT SELECT',
  'callsheet.placed_files': 'INSERT SELECT',
  'callsheet.published_reports': 'INSERT SELECT',
  'callsheet.quarantine': 'INSERT SELECT',
  'callsheet.quota': 'INSERT SELECT UPDATE',
  'callsheet.retention': 'SELECT',
  'callsheet.runs': 'INSERT SELECT UPDATE',
  'callsheet.slice_states': 'INSERT SELECT UPDATE',
  'callsheet.slices': 'INSERT SELECT',
  'callsheet.suppression_keys': 'SELECT',
  'callsheet.suppressions': 'SELECT',
  'callsheet.deletion_candidates': 'DELETE INSERT SELECT UPDATE',
  'callsheet.task_runs': 'INSERT SELECT UPDATE',
  'callsheet.tokens': 'INSERT SELECT UPDATE',
  'callsheet.tree_tiles': 'INSERT SELECT',
  'callsheet.written': 'SELECT',
}
