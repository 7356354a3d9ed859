import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { daysOf } from '../../reports/shared/calendar.ts'
import { lastBegun } from '../../reports/shared/local-time.ts'
import { addMonths, isTimeZone, zonedDayStartMs, zonedInstant } from '../../src/core/time/zone.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

/** An instant in winter and one in summer. */
const INSTANTS = ['2025-01-15T12:00:00.000Z', '2025-07-15T12:00:00.000Z']

it('every accepted time zone has the same local times here and in SQL', async () => {
  // Reads names and abbreviations, some of which have two meanings.
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

it.each([
  ['Europe/Berlin', '2026-10'],
  ['Asia/Kathmandu', '2026-02'],
  // Clocks skip midnight, repeat it, and repeat the hour before it.
  ['America/Sao_Paulo', '2018-11'],
  ['America/Havana', '2026-11'],
  ['America/Sao_Paulo', '2018-02'],
  // Samoa skipped December 30, 2011.
  ['Pacific/Apia', '2011-12'],
])(
  'every quarter of an hour in %s is on the same day of %s here and in SQL',
  async (timeZone, month) => {
    const days = daysOf(month)
    const [from, to] = [month, addMonths(month, 1)].map((name) =>
      new Date(zonedDayStartMs(`${name}-01`, timeZone)).toISOString(),
    )
    const told = lastBegun(days, sql.ref('at'), timeZone)
    const { rows } = await sql<{ day: string; due: string }>`
    select ${told}::text as day, (at at time zone ${timeZone})::date::text as due
    from generate_series(
      ${from}::timestamptz, ${to}::timestamptz - interval '1 second', '15 minutes') at
    `.execute(warehouse.db)
    expect(rows.length).toBeGreaterThan(2_600)
    expect(rows.filter(({ day, due }) => day !== due)).toEqual([])
  },
)
