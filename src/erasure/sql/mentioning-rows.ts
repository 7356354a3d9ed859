import { type RawBuilder, sql } from 'kysely'
import { mentionsIn, type RowMentions, type Sought } from '../../core/persons/row-mentions.ts'
import { parseLossless } from '../../core/values/json.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'

/** A search for the rows that name a person. */
export interface RowSearch {
  account: string
  /** `like` patterns for lower-case text. They match wherever the person may be named. */
  likely: readonly string[]
  /** Patterns of rows in which an address may be spelled out. */
  spelledOut: readonly { like: string; regex: string }[]
  /** Returns the persons to search for in a table. */
  sought(table: TableName): Sought
}

/** A row as JSON and the bytes of its original as text, with its physical place. */
interface RowInPlace {
  table: string
  place: string
  row: string
  source: string | null
}

export type TableName = readonly [schema: string, name: string]

/** A row that mentions the person, with its physical place. */
export interface MentioningRow extends RowMentions {
  table: string
  place: string
  /** The columns of a ledger's row that its erasure uses. */
  row: Record<'id' | 'stream' | 'slice' | 'finished_at', unknown>
}

/**
 * Yields the rows of a table that mention the person, in any column or in the stored bytes of the original.
 * The database only preselects rows: `mentionsIn` decides for all tables. With `lock`, no other transaction
 * can change the rows before this one ends.
 */
export async function* mentioningRows(
  tx: Transaction,
  table: TableName,
  { account, likely, spelledOut, sought, lock = false }: RowSearch & { lock?: boolean },
): AsyncGenerator<MentioningRow> {
  const [schema, name] = table
  const bytes =
    schema !== 'callsheet' ? sql`t._bytes` : name === 'notifications' ? sql`t.body` : NONE
  const query = sql<RowInPlace>`
    select t.tableoid::text as "table", t.ctid::text as place, row_to_json(t)::text as row,
      encode(${bytes}, 'base64') as source
    from ${sql.id(...table)} t
    where t.account = ${account} and ${mayName(rowText(table), likely, spelledOut)}
    ${lock ? sql`for update of t` : sql``}`
  const person = sought(table)
  for await (const { source, ...found } of cursorRows(tx, `mentions_${table.join('_')}`, query)) {
    const mentions = mentionsIn(textsIn(table, { ...found, source: textOf(source) }), person)
    if (!mentions.named && mentions.uncertain.length + mentions.another.length === 0) continue
    const { id, stream, slice, finished_at } = parseLossless(found.row) as MentioningRow['row']
    const row = { id, stream, slice, finished_at }
    yield { table: found.table, place: found.place, row, ...mentions }
  }
}

/** Returns a row `t` as text, with the stored bytes of the original if the table has them. */
export function rowText([schema, name]: TableName): RawBuilder<string> {
  if (schema !== 'callsheet') return sql`(t::text || coalesce(convert_from(t._bytes, 'UTF8'), ''))`
  return name === 'notifications' ? sql`(t::text || callsheet.text_of(t.body))` : sql`t::text`
}

/**
 * Whether a text may name one of the persons, as `mentionOf` reads it. The cheap `like` comes first and is
 * rarely true. Folds only ASCII letters, whatever the database's locale.
 */
export function mayName(
  text: RawBuilder<string>,
  likely: readonly string[],
  spelledOut: RowSearch['spelledOut'] = [],
): RawBuilder<boolean> {
  const like = (said: RawBuilder<unknown>) =>
    sql`lower(${said} collate "C") like any(${[...likely]}::text[])`
  const apart = spelledOut.map(
    ({ like: parts, regex }) =>
      sql`(lower(x.said collate "C") like ${parts} and lower(x.said collate "C") ~ ${regex})`,
  )
  return sql<boolean>`(select ${like(sql`x.said`)} or ${like(plainOf(sql`x.said`))}
      ${apart.length === 0 ? sql`` : sql`or ${sql.join(apart, sql` or `)}`}
      or (octet_length(x.said) <> length(x.said) and x.said ~ ${`[${ODD}ßẞ]`} and ${like(
        sql`callsheet.unveiled(regexp_replace(translate(x.said, ${ODD}, 'ii..'), '[ßẞ]', 'ss', 'g'))`,
      )})
      or (x.said ~ ${QUOTED} and ${like(sql`callsheet.unveiled(
        regexp_replace(regexp_replace(x.said, ${SOFT_BREAK}, '', 'g'), ${OCTET}, '%\\1', 'g'))`)})
    from (select ${text} as said offset 0) x)`
}

/**
 * Returns the text without the encodings that hide names, or null if there are no encodings. Names of records
 * and files contain IDs in our own encoding, e.g. in the manifest. If that is the only encoding, it is undone
 * directly, because the search for all encodings takes 30 times as long.
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

/** Returns the columns of a row, except binary ones, and the text of the original bytes, by name. */
function textsIn([schema]: TableName, { row, source }: RowInPlace): Record<string, unknown> {
  const values = Object.entries(parseLossless(row) as Record<string, unknown>)
  const texts = Object.fromEntries(values.filter(([, value]) => !isBytes(value)))
  return source === null
    ? texts
    : { ...texts, [schema === 'callsheet' ? 'body' : '_bytes']: source }
}

/** Decodes bytes as UTF-8. If they are not valid UTF-8, adds their text as Latin-1. */
function textOf(base64: string | null): string | null {
  if (base64 === null) return null
  const bytes = Buffer.from(base64, 'base64')
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? `${text}\n${bytes.toString('latin1')}` : text
}

function isBytes(value: unknown): boolean {
  return typeof value === 'string' && /^\\x[0-9a-f]*$/.test(value)
}

/**
 * Variants of the letter i, and characters that end a domain label. NFKC makes none of them `i` or `.`. The
 * combining dot at the end is dropped.
 */
const ODD = 'İı。｡\u0307'
const NONE = sql`null::bytea`
/** The encoding of `callsheet.subject_part`, for characters that are frequent in IDs and file names. */
const OWN_ENCODING = { '%2F': '/', '%2B': '+', '%3D': '=', '%3A': ':', '%40': '@' }
/** The characters of addresses and IDs in quoted-printable. In a row, a line break may be escaped. */
const QUOTED = String.raw`=(2[BbDdEeFf]|3[Dd]|40|5[Ff]|\r?\n|\\+r?\\*n)`
const SOFT_BREAK = String.raw`=(\r?\n|(\\+r)?\\+n)`
const OCTET = '=([0-9A-Fa-f]{2})'
