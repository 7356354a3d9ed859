import { type RawBuilder, sql } from 'kysely'
import type { Identity } from '../../core/erasure/identity.ts'
import { patternsOfName } from '../../core/erasure/patterns.ts'

/** The texts that tell a person. */
export interface SearchPatterns {
  /** Patterns for `like` over text in lower case that occur wherever a person may be told. */
  likely: readonly string[]
  /**
   * Regular expressions that take none of the texts for a part of a longer one: of IDs, as they are spelled.
   */
  exact: readonly string[]
  /** The same of addresses, in lower case and composed (NFC). */
  folded: readonly string[]
  /** Names that tell the person wherever a field that may hold a name says them. */
  names: readonly Identity[]
  /** By stream, the fields that may hold a name beside those that are called so. */
  personal: Readonly<Record<string, readonly string[]>>
}

/** Where a row says one of the texts, in any column, and in the bytes that are kept of what was sent. */
export function holds(
  [schema, name]: readonly [string, string],
  tells: SearchPatterns,
  alias = 't',
): RawBuilder<boolean> {
  const { likely, exact, folded } = tells
  const bytes = BYTES[schema === 'callsheet' ? name : schema]?.(alias)
  const row = sql`${sql.id(alias)}::text`
  const text = bytes === undefined ? row : sql`(${row} || coalesce(${bytes}, ''))`
  const tell = (said: RawBuilder<string>) => sql`${said} ~ any(${[...exact]}::text[])
      or normalize(lower(${said}), NFC) ~ any(${[...folded]}::text[])`
  // What is hardly ever true and soon known comes first: a regular expression takes ten times as long.
  return sql`(select case when lower(x.said) like any(${[...likely]}::text[])
      or lower(x.plain) like any(${[...likely]}::text[])
    then ${tell(sql`x.said`)} or ${tell(sql`coalesce(x.plain, x.said)`)}
      or ${namedIn([schema, name], tells, { alias, bytes })} else false end
    from (select y.said, ${plainOf(sql`y.said`)} as plain
      from (select ${text} as said offset 0) y offset 0) x)`
}

/**
 * Without what veils it, or null where nothing does. Whatever names a record or a file of ours spells their
 * IDs in our own encoding, as each entry of the manifest does: where nothing else veils the text, that is
 * undone without the search for all that could, which takes 30 times as long.
 */
function plainOf(said: RawBuilder<string>): RawBuilder<string | null> {
  const own = Object.entries(OWN_ENCODING).reduce(
    (text, [encoded, character]) => sql<string>`replace(${text}, ${encoded}, ${character})`,
    said,
  )
  return sql`case when callsheet.veiled(${said}) then (
    select case when callsheet.veiled(o.own) then callsheet.unveiled(${said}) else o.own end
    from (select ${own} as own offset 0) o) end`
}

/** Of `callsheet.subject_part`, what IDs and the names of files often have. */
const OWN_ENCODING = { '%2F': '/', '%2B': '+', '%3D': '=', '%3A': ':', '%40': '@' }

/** By their name alone: only where a field for names says it, so never by a text that has it in passing. */
function namedIn(
  [schema, name]: readonly [string, string],
  { names, personal }: SearchPatterns,
  { alias, bytes }: { alias: string; bytes: RawBuilder<unknown> | undefined },
): RawBuilder<boolean> {
  if (names.length === 0) return sql`false`
  const fields = {
    personal:
      schema === 'callsheet' && OF_STREAMS.has(name)
        ? [...new Set(Object.values(personal).flat())]
        : (personal[name] ?? []),
    nested: schema === 'callsheet' && name === 'quarantine',
  }
  const patterns = names.flatMap((one) => patternsOfName(one, fields))
  const json = sql`row_to_json(${sql.id(alias)})::text || coalesce(${bytes ?? null}, '')`
  const says = (said: RawBuilder<unknown>) =>
    sql`normalize(lower(${said}), NFC) ~ any(${patterns}::text[])`
  return sql`(${says(json)} or ${says(sql`callsheet.unveiled(${json})`)})`
}

/** Of our own, what came in records and may be about any stream. */
const OF_STREAMS = new Set(['quarantine', 'drift'])

/** By table, or by schema, the text of the bytes that were received. */
const BYTES: Readonly<Record<string, (alias: string) => RawBuilder<unknown>>> = {
  svc: (alias) => sql`convert_from(${sql.id(alias, '_bytes')}, 'UTF8')`,
  history: (alias) => sql`convert_from(${sql.id(alias, '_bytes')}, 'UTF8')`,
  notifications: (alias) => sql`callsheet.text_of(${sql.id(alias, 'body')})`,
}
