import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

describe('a value from Postgres is read', () => {
  it.each([
    ["'2026-05-01 10:00:00Z'::timestamptz", '2026-05-01T10:00:00Z'],
    ["'2026-05-01 10:00:00.123456+02'::timestamptz", '2026-05-01T08:00:00.123456Z'],
    ["'0001-01-01 00:00:00Z'::timestamptz", '0001-01-01T00:00:00Z'],
    ["'infinity'::timestamptz", 'infinity'],
    ["'2026-03-29'::date", '2026-03-29'],
    ["'2026-05-01 10:00'::timestamp", '2026-05-01T10:00:00'],
    ['9007199254740991::bigint', 9007199254740991],
    ['9007199254740993::bigint', '9007199254740993'],
    ['12.50::numeric', '12.50'],
    ["'\\x00ff'::bytea", Buffer.of(0, 255)],
    ["array['2026-05-01 10:00Z', null]::timestamptz[]", ['2026-05-01T10:00:00Z', null]],
    ['array[1, 9007199254740993]::bigint[]', [1, '9007199254740993']],
    ["array['a,b', null, '\"']", ['a,b', null, '"']],
    ['\'{"a": [1, null]}\'::jsonb', { a: [1, null] }],
    ['null::timestamptz', null],
    ['true', true],
  ])('%s', async (expression, expected) => {
    const query = sql<{ value: unknown }>`select ${sql.raw(expression)} as value`
    const { rows } = await query.execute(warehouse.db)
    expect(rows[0]?.value).toEqual(expected)
  })
})
