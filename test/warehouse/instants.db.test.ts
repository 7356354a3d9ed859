import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { parseInstant } from '../../src/core/time/instant.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

it.each([
  '2026-11-27T01:02:03Z',
  '20261127T010203Z',
  '20261127T010203.25+0530',
  '2026-11-27T010203Z',
  '2026-11-27T24:00:00Z',
  '2026-12-31T23:59:60Z',
  '2027-01-01T05:29:60+05:30',
  '2026-11-27t01:02:03z',
  '2026-11-27T01:02:03+05',
  'Fri, 27 Nov 2026 01:02:03 GMT',
])('Postgres reads %s as the instant that we store for it', async (wire) => {
  const { rows } = await sql<{ same: boolean; ours: string }>`
    select ${wire}::timestamptz = ${parseInstant(wire)}::timestamptz as same`.execute(warehouse.db)
  expect(rows).toEqual([{ same: true }])
})
