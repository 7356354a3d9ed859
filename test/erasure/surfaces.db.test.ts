import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { streams } from '../../src/account/catalog.ts'
import { LEDGERS } from '../../src/erasure/sql/erasure-ledgers.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

const tablesIn = async (schema: string): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`.execute(warehouse.db)
  return rows.map(({ name }) => name)
}

test('an erasure has a rule for every table', async () => {
  expect(Object.keys(LEDGERS).toSorted()).toEqual((await tablesIn('callsheet')).toSorted())
  const lists = [...new Set(streams.map(({ name }) => name))].toSorted()
  expect(lists).toEqual((await tablesIn('svc')).toSorted())
  expect(lists).toEqual((await tablesIn('history')).toSorted())
})

test('every column that an erasure searches or empties exists', async () => {
  for (const [name, treatment] of Object.entries(LEDGERS)) {
    const columns =
      'deleted' in treatment
        ? [treatment.deleted]
        : 'emptied' in treatment
          ? Object.keys(treatment.emptied)
          : []
    if (columns.length === 0) continue
    const { rows } = await sql<{ column: string }>`
      select attname as column from pg_attribute
      where attrelid = ${`callsheet.${name}`}::regclass and attname = any(${columns}::text[])`.execute(
      warehouse.db,
    )
    expect(rows.map(({ column }) => column).toSorted()).toEqual(columns.toSorted())
  }
})

test('every column that names a person in a stream is marked as personal', () => {
  const people = streams.filter(({ person }) => person !== undefined)
  expect(people.length).toBeGreaterThanOrEqual(3)
  const open = people.flatMap(({ name, person, personal }) =>
    (person?.called.flat() ?? [])
      .filter((column) => !personal.includes(column))
      .map((column) => `${name}.${column}`),
  )
  expect(open).toEqual([])
})
