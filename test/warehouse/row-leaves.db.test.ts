import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { rowLeaves } from '../../src/evidence/sql/row-leaf.ts'
import { userDetails } from '../../src/resources/user-details.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

/** Rows by their columns, and the leaf hash that every version of Postgres must compute for them. */
const STORED: Readonly<Record<string, { row: Record<string, string>; leaf: string }>> = {
  plain: {
    row: {
      display_name: `'Anna Müller'`,
      account_number: '-9007199254740991',
      use_pmi: 'true',
      group_ids: `array['g-1', 'g,"2"', '']`,
      login_types: `'[1, 100.50, {"b": null, "a": "\\u00e9"}]'`,
      created_at: `'2026-03-29T02:30:00.123456Z'`,
      _bytes: `'\\x00ff5c'`,
    },
    leaf: 'a6e352cc9a3b22f31ae139f2556d1383c8e738492f68c84eba0c94fc2e4a1c86',
  },
  empty: { row: {}, leaf: 'b856b5f0d98953de18dd677e87a9edad566be2d0cb137f48b11a49dad4769b3d' },
  odd: {
    row: {
      display_name: `''`,
      job_title: `E'\\u202e\\U0001F600 "\\n, )'`,
      account_number: '9223372036854775807',
      use_pmi: 'false',
      group_ids: `'{}'`,
      im_group_ids: `array[null, 'NULL']`,
      login_types: `'1E+2'`,
      custom_attributes: `'"text"'`,
      created_at: `'infinity'`,
      user_created_at: `'0044-03-15T00:00:00Z BC'`,
      _deleted_at: `'9999-12-31T23:59:59.999999Z'`,
      _deleted_run_id: '0',
      _raw: `'{"": [], "k": {}}'`,
    },
    leaf: '2f38996d3b331dd55be92d13d2f53b3bfde2c967e623a012d49eaad7ceb9c361',
  },
}
const ALWAYS = {
  account: `'main'`,
  _raw: `'{}'`,
  _hash: `'\\x'`,
  _first_seen_at: `'2026-01-01Z'`,
  _changed_at: `'2026-01-02Z'`,
  _run_id: '7',
  _salt: `'\\x000102030405060708090a0b0c0d0eff'`,
}

it('row leaves are the same on every Postgres version, in SQL and in our code', async () => {
  for (const [id, { row }] of Object.entries(STORED)) {
    const values = { ...ALWAYS, id: `'${id}'`, ...row }
    await sql
      .raw(`insert into svc.user_details (${Object.keys(values).join(', ')})
        values (${Object.values(values).join(', ')})`)
      .execute(warehouse.db)
  }
  const ours = await sql<{ key: string[]; leaf: string }>`
    select key, encode(leaf, 'hex') as leaf
    from ${rowLeaves({ account: 'main', stream: userDetails, where: 'svc' })} r`.execute(
    warehouse.db,
  )
  const expected = Object.entries(STORED).map(([id, { leaf }]) => [id, leaf])
  expect(Object.fromEntries(ours.rows.map(({ key, leaf }) => [key[0], leaf]))).toEqual(
    Object.fromEntries(expected),
  )
  const noted = await sql<{ leaf: string }>`select encode(l.leaf, 'hex') as leaf
    from callsheet.written, unnest(wrote) l(leaf) order by id`.execute(warehouse.db)
  expect(noted.rows.map(({ leaf }) => leaf)).toEqual(expected.map(([, leaf]) => leaf))
})

/** A type defined in a database has a different OID in each one, and the server sends it with each value. */
it('row columns use only types built into every Postgres server', async () => {
  const { rows } = await sql<{ type: string }>`
    select distinct format_type(atttypid, null) as type from pg_attribute
      join pg_class c on c.oid = attrelid
    where relnamespace in ('svc'::regnamespace, 'history'::regnamespace) and relkind in ('r', 'p')
      and attnum > 0 and not attisdropped order by 1`.execute(warehouse.db)
  expect(rows.map(({ type }) => type)).toEqual([
    'bigint',
    'boolean',
    'bytea',
    'jsonb',
    'text',
    'text[]',
    'timestamp with time zone',
  ])
})
