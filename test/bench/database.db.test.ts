import { expect, it } from 'vitest'
import { writtenSoFar } from '../../bench/database.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

it.each([
  ['svc.users_of_a_month', 3],
  ['history.users_of_a_month', 3],
  ['bench.copied', 3],
  ['bench.scripted', 3],
  ['svc.others', 0],
])('of three writes to %s, %i are counted besides the stream users', async (table, counted) => {
  await warehouse.withClient(async (client) => {
    await client.query('create schema if not exists bench')
    await client.query(`create table ${table} (n int)`)
    const before = await writtenSoFar(client, 'users')
    await client.query(`insert into ${table} values (1), (2)`)
    await client.query(`update ${table} set n = 3 where n = 2`)
    const after = await writtenSoFar(client, 'users')
    expect(after.rows - before.rows).toBe(counted)
    expect(after.walBytes).toBeGreaterThan(before.walBytes)
  })
})
