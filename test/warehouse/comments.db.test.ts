import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { streams } from '../../src/account/catalog.ts'
import { migrateTables } from '../../src/account/wire.ts'
import { commentTables, ownsTables } from '../../src/warehouse/comments.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { BOOKKEEPING, ENDING, OWNER } from '../../src/warehouse/schema/bookkeeping.ts'
import { REPORT_VIEWS, VALIDITY } from '../../src/warehouse/schema/report-views.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

interface Described {
  name: string
  about: string | null
}

/** The tables, views and columns of a schema, with their comments in Postgres. */
async function describedIn(schema: string): Promise<Record<string, string | null>> {
  const { rows } = await sql<Described>`
    select c.relname || coalesce('.' || a.attname, '') as name,
      case when a.attname is null then obj_description(c.oid, 'pg_class')
        else col_description(c.oid, a.attnum) end as about
    from pg_class c
      join lateral (select null::name as attname, 0 as attnum union all
        select attname, attnum from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped) a on true
    where c.relnamespace = ${schema}::regnamespace and c.relkind in ('r', 'p', 'v')
      and not c.relispartition`.execute(warehouse.db)
  return Object.fromEntries(rows.map(({ name, about }) => [name, about]))
}

/** The declared texts, with those of the additional columns of a schema's tables. */
function declared(besides: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = streams.flatMap(({ name, about, columns }) => [
    [name, about],
    ...Object.entries({ ...OWNER, ...besides }).map(([column, said]) => [
      `${name}.${column}`,
      said,
    ]),
    ...Object.entries(columns).map(([column, said]) => [`${name}.${column}`, said.about]),
  ])
  return Object.fromEntries(pairs) as Record<string, string>
}

it('every table and column has its declared description as a comment', async () => {
  await commentTables(warehouse, streams)
  const wanted = declared(BOOKKEEPING)
  expect(Object.keys(wanted).length).toBeGreaterThan(500)
  expect(await describedIn('svc')).toEqual(wanted)
  const past = await describedIn('history')
  expect(past.users).toBe('Earlier versions of the rows of svc.users.')
  expect(past['users.id']).toBe(wanted['users.id'])
  expect(Object.values(past)).toEqual(expect.arrayContaining(Object.values(ENDING)))
  expect(Object.values(past)).not.toContain(null)
  const shown = await describedIn('report')
  expect(shown).toMatchObject(declared({}))
  for (const [name, { columns }] of Object.entries(REPORT_VIEWS))
    for (const [column, said] of Object.entries(columns))
      expect(shown[`${name}.${column}`]).toBe(said)
  expect(shown['history_users.valid_to']).toBe(VALIDITY.valid_to)
  const silent = Object.entries(shown).filter(([, said]) => said === null)
  expect(silent.filter(([name]) => !OWN_VIEWS.test(name))).toEqual([])
})

/** Views of notifications, and columns that a view computes, have no declaration. */
const OWN_VIEWS = /^(notifications|room_alerts)|\.(state|possibly_truncated)$/

it('a description is stored as text, whatever it contains', async () => {
  const [first] = streams
  const about = `It's "so"; drop table svc.users; -- $$ %I \\ ö`
  const columns = { id: { ...first!.columns.id!, about: `${about} too` } }
  await commentTables(warehouse, [{ ...first!, about, columns }])
  const said = await describedIn('svc')
  expect([said.users, said['users.id']]).toEqual([about, `${about} too`])
})

it('an upgrade without a migration describes the tables too, if the role owns them', async () => {
  await migrateTables(warehouse)
  await sql`comment on table svc.users is 'old'`.execute(warehouse.db)
  await sql`update report.labels set label = 'old'`.execute(warehouse.db)
  const role = `r_${randomBytes(6).toString('hex')}`
  await sql`create role ${sql.id(role)}`.execute(warehouse.db)
  expect(await ownsTables(warehouse)).toBe(true)
  await warehouse.transaction(async (tx) => {
    await sql`set local role ${sql.id(role)}`.execute(tx)
    expect(await ownsTables({ ...warehouse, db: tx })).toBe(false)
  })
  await sql`drop role ${sql.id(role)}`.execute(warehouse.db)
  expect(await Promise.all([migrateTables(warehouse), migrateTables(warehouse)])).toEqual([[], []])
  const { users } = await describedIn('svc')
  expect(users).toBe(streams.find(({ name }) => name === 'users')?.about)
  const { rows } = await sql`select from report.labels where label = 'old'`.execute(warehouse.db)
  expect(rows).toEqual([])
})
