import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { isTimeZone, zonedInstant } from '../../src/core/time/zone.ts'
import type { Warehouse } from '../../src/warehouse/connection/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

/** In winter and in summer. */
const INSTANTS = ['2025-01-15T12:00:00.000Z', '2025-07-15T12:00:00.000Z']

it('every time zone that is accepted has the same clocks in SQL as in the borders of a period', async () => {
  // All that SQL knows, under either kind of name: some of them mean two things.
  const { rows } = await sql<{ name: string; local: string; at: string }>`
    select name, at, to_char(at::timestamptz at time zone name, 'YYYY-MM-DD"T"HH24:MI:SS') as local
    from (select name from pg_timezone_names union select abbrev from pg_timezone_abbrevs) n
      cross join unnest(${INSTANTS}::text[]) at`.execute(warehouse.db)
  const accepted = rows.filter(({ name }) => isTimeZone(name))
  expect(accepted.length).toBeGreaterThan(800)
  const other = accepted.filter(
    ({ name, local, at }) => zonedInstant(Date.parse(at), name) !== local,
  )
  expect(other).toEqual([])
  const refused = rows.filter(({ name }) => !isTimeZone(name)).map(({ name }) => name)
  expect(refused).toEqual(expect.arrayContaining(['CET', 'IST', 'BST', 'PST', 'WET']))
})
