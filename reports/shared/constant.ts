import { type RawBuilder, sql } from 'kysely'

/**
 * A value that stands in the SQL itself, where a parameter will not do: the one place for that. The compiler
 * takes only what it knows to the letter, so that nothing from outside can ever come here.
 */
export function constant<const T extends string | number>(
  value: string extends T ? never : number extends T ? never : T,
): RawBuilder<unknown> {
  return sql.lit(value)
}
