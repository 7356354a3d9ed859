import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

// What the builder has no short word for, and many queries need.

/** A text, or null. */
export type Text = Expression<string | null>

/** How many rows there are, as a number and not as the digits of a bigint. */
export const rowCount: RawBuilder<number> = sql`count(*)::int`

export function countWhere(condition: Expression<SqlBool | null>): RawBuilder<number> {
  return sql`count(*) filter (where ${condition})::int`
}

/** Of how many different values that are not null. */
export function countDistinct(value: Expression<unknown>): RawBuilder<number> {
  return sql`count(distinct ${value})::int`
}

export function sum(value: Expression<unknown>): RawBuilder<number> {
  return sql`sum(${value})::int`
}

/** A digest or a key as people compare them. */
export function hex<T extends Buffer | null>(
  bytes: Expression<T>,
): RawBuilder<T extends Buffer ? string : null> {
  return sql`encode(${bytes}, 'hex')`
}

/** Null where it says nothing. */
export function filled(value: Text): RawBuilder<string | null> {
  return sql`nullif(${value}, '')`
}

/** Compared and ordered by the bytes, alike on every server. */
export function byBytes<T extends string | null>(value: Expression<T>): RawBuilder<T> {
  return sql`${value} collate "C"`
}

/** The word for a code of the service; a code that the documents do not name stays a number. */
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
 * A value that stands in the SQL itself, where a parameter will not do: the one place for that. The compiler
 * takes only what it knows to the letter, so that nothing from outside can ever come here.
 */
export function constant<const T extends string | number>(
  value: string extends T ? never : number extends T ? never : T,
): RawBuilder<unknown> {
  return sql.lit(value)
}
