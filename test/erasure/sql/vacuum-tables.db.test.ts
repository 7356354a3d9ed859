import { expect, it } from 'vitest'
import { cleanTables } from '../../../src/erasure/sql/vacuum-tables.ts'
import { users } from '../../../src/resources/users.ts'
import type { DatabaseClient, Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

const ADDRESS = 'person7777@example.com'

it('removes the index entries of an erased row, however few rows of the table were erased', async () => {
  await warehouse.withClient(async (client) => {
    await client.query('create extension pageinspect')
    await client.query(`
      insert into svc.users (account, id, email, _raw, _hash, _first_seen_at, _changed_at, _run_id)
      select 'main', 'pending:person' || n || '@example.com', 'person' || n || '@example.com', '{}', '\\x00',
        now(), now(), 1
      from generate_series(1, 20000) n`)
    await client.query('vacuum (analyze) svc.users')
    expect(await entriesOf(client)).toBe(1)
    await client.query(`delete from svc.users where email = $1`, [ADDRESS])
  })
  await cleanTables(warehouse, [users])
  expect(await warehouse.withClient(entriesOf)).toBe(0)
})

/** How many entries of the key's index contain the address, whether or not their row still exists. */
async function entriesOf(client: DatabaseClient): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count
     from generate_series(1, pg_relation_size('svc.users_pkey') / 8192 - 1) page,
       bt_page_items('svc.users_pkey', page::int) item
     where position($1::bytea in decode(replace(item.data, ' ', ''), 'hex')) > 0`,
    [Buffer.from(ADDRESS)],
  )
  return rows[0]?.count ?? Number.NaN
}
