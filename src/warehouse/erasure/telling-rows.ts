import { type RawBuilder, sql } from 'kysely'
import type { Identity } from '../../core/erasure/identity.ts'
import { patternsOfName } from '../../core/erasure/patterns.ts'

/** The patterns by which the rows that name a person are searched. */
export interface SearchPatterns {
  /** `like` patterns for lower-case text. They occur wherever the person may be named. */
  likely: readonly string[]
  /** Regular expressions for IDs with exact spelling. They do not match inside a longer word. */
  exact: readonly string[]
  /** The same for addresses, in lower case and composed (NFC). */
  folded: readonly string[]
  /** Names that mean the person in any field for names. */
  names: readonly Identity[]
  /** By stream: further fields that may hold a name. */
  personal: Readonly<Record<string, readonly string[]>>
}

/** Whether a row contains one of the texts, in any column or in the stored bytes of the original. */
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
  // The cheap `like` comes first and is rarely true. A regular expression takes ten times as long.
  return sql`(select case when lower(x.said) like any(${[...likely]}::text[])
      or lower(x.plain) like any(${[...likely]}::text[])
    then ${tell(sql`x.said`)} or ${tell(sql`coalesce(x.plain, x.said)`)}
      or ${namedIn([schema, name], tells, { alias, bytes })} else false end
    from (select y.said, ${plainOf(sql`y.said`)} as plain
      from (select ${text} as said offset 0) y offset 0) x)`
}

/**
 * The text without the encodings that veil it, or null if there are none. Names of records and files spell
 * IDs in our own encoding, e.g. in the manifest. If that is the only encoding it is undone directly, because
 * the search for all encodings takes 30 times as long.
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

/** The encoding of `callsheet.subject_part`, for characters that are frequent in IDs and file names. */
const OWN_ENCODING = { '%2F': '/', '%2B': '+', '%3D': '=', '%3A': ':', '%40': '@' }

/** Whether a field for names holds one of the names. Other text that mentions a name does not count. */
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

/** The ledgers with parts of records, of any stream. */
const OF_STREAMS = new Set(['quarantine', 'drift'])

/** The stored bytes of the original as text, by table or by schema. */
const BYTES: Readonly<Record<string, (alias: string) => RawBuilder<unknown>>> = {
  svc: (alias) => sql`convert_from(${sql.id(alias, '_bytes')}, 'UTF8')`,
  history: (alias) => sql`convert_from(${sql.id(alias, '_bytes')}, 'UTF8')`,
  notifications: (alias) => sql`callsheet.text_of(${sql.id(alias, 'body')})`,
}
