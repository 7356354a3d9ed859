import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

// Short forms that the query builder lacks.

/** A text, or null. */
export type Text = Expression<string | null>

/** The number of rows, as a number rather than a bigint's digits. */
export const rowCount: RawBuilder<number> = sql`count(*)::int`

export function countWhere(condition: Expression<SqlBool | null>): RawBuilder<number> {
  return sql`count(*) filter (where ${condition})::int`
}

/** The number of different values that are not null. */
export function countDistinct(value: Expression<unknown>): RawBuilder<number> {
  return sql`count(distinct ${value})::int`
}

export function sum(value: Expression<unknown>): RawBuilder<number> {
  return sql`sum(${value})::int`
}

/** Returns a digest or key in hex. */
export function hex<T extends Buffer | null>(
  bytes: Expression<T>,
): RawBuilder<T extends Buffer ? string : null> {
  return sql`encode(${bytes}, 'hex')`
}

/** Returns null for an empty text. */
export function filled(value: Text): RawBuilder<string | null> {
  return sql`nullif(${value}, '')`
}

/** Compares and sorts by bytes, the same on every server. */
export function byBytes<T extends string | null>(value: Expression<T>): RawBuilder<T> {
  return sql`${value} collate "C"`
}

/** Returns the word for a code of the service, or the code's digits if it is undocumented. */
export function wordFor(
  code: Expression<number | string | null>,
  words: readonly string[] | Readonly<Record<number, string>>,
): RawBuilder<string | null> {
  const cases = Object.entries(words).map(
    ([value, word]) => sql`when ${Number(value)}::bigint then ${word}::text`,
  )
  return sql`case ${code} ${sql.join(cases, sql` `)} else ${code}::text end`
}

/**
 * Writes a literal into the SQL itself, for places that allow no parameter. The compiler accepts only literal
 * types, so no value from outside can get here.
 */
export function constant<const T extends string | number>(
  value: string extends T ? never : number extends T ? never : T,
): RawBuilder<unknown> {
  return sql.lit(value)
}

/** Returns the size and the root of a signed checkpoint, in the form that people note. */
export function checkpointState(note: Expression<string>): RawBuilder<string> {
  return sql<string>`split_part(${note}, e'\n', 2) || ':' || split_part(${note}, e'\n', 3)`
}
