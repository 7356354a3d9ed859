import { type Expression, type RawBuilder, sql } from 'kysely'

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
