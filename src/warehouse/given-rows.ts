import { type AliasedRawBuilder, sql } from 'kysely'
import { arrayText } from './array-text.ts'

type Value = string | number | boolean | null

/** Returns rows as a relation for `from`, with one parameter per column. */
export function givenRows<Alias extends string, Row extends Record<keyof Row, Value>>(
  alias: Alias,
  rows: readonly Row[],
  types: Record<keyof Row, keyof typeof ARRAYS>,
): AliasedRawBuilder<Row, Alias> {
  const names = Object.keys(types) as (keyof Row & string)[]
  const columns = names.map(
    (name) => sql`${arrayText(rows.map((row) => row[name]))}::${ARRAYS[types[name]]}`,
  )
  const columnNames = sql.join(names.map((name) => sql.id(name)))
  return sql<Row>`unnest(${sql.join(columns)})`.as<Alias>(sql`${sql.id(alias)}(${columnNames})`)
}

const ARRAYS = { bigint: sql`bigint[]`, boolean: sql`boolean[]`, text: sql`text[]` }
