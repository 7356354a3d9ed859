import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})
const run = async (statement: string): Promise<Record<string, unknown>[]> =>
  (await sql.raw<Record<string, unknown>>(statement).execute(warehouse.db)).rows

describe('whether two payloads have the same meaning:', () => {
  it.each([
    ['{"a": 1}', '{"a": "1"}', true],
    ['{"a": true}', '{"a": "True"}', true],
    ['{"a": "true"}', '{"a": "1"}', false],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "2024-02-20 17:31:33.000+02"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "20240220T153133Z"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "20240220T173133.0+0200"}', true],
    ['{"a": "2024-02-20T15:31:00Z"}', '{"a": "20240220T1531Z"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "Tue, 20 Feb 2024 15:31:33 GMT"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "Tue, 20 Feb 2024 15:31:34 GMT"}', false],
    ['{"a": "2024-02-20T00:00:00Z"}', '{"a": "2024-02-19T24:00:00Z"}', true],
    ['{"a": "2024-02-20T00:00:00Z"}', '{"a": "2024-02-19T23:59:60Z"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": 1708443093}', true],
    ['{"a": "2024-02-20T15:31:33.25Z"}', '{"a": 1708443093250}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "2024-02-20T15:31:34Z"}', false],
    ['{"a": [{"b": 1}]}', '{"a": {"b": "1"}}', true],
    ['{"a": [1, 2]}', '{"a": [2, 1]}', false],
    ['{"a": [1]}', '{"a": []}', false],
    ['{"a": null}', '{}', true],
    ['{"a": ""}', '{"b": null}', true],
    ['{"a": "x"}', '{"a": "y"}', false],
    ['{"a": "x"}', '{}', false],
    ['{"a": 5}', '{"a": 5.0}', true],
    ['{"a": 5}', '{"a": "6"}', false],
    ['{"a": "2026-01-01 +99"}', '{"a": "x"}', false],
    ['{"a": "0000-00-00T00:00:00Z"}', '{"a": "x"}', false],
    ['{"a": "2026-13-01T00:00:00Z"}', '{"a": "2027-01-01T00:00:00Z"}', false],
    ['{"a": "2026-01-01T00:00:00+16:00"}', '{"a": "2025-12-31T08:00:00Z"}', false],
    ['{"a": "2026-01-01 +99"}', '{"a": 1767225600}', false],
  ])('%s and %s: %s', async (a, b, same) => {
    expect(
      await run(
        `select callsheet.same('${a}', '${b}') as it, callsheet.same('${b}', '${a}') as back`,
      ),
    ).toEqual([{ it: same, back: same }])
  })
})
