import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'

/**
 * True if a row differs in anything but volatile fields. Payload fields are compared only if no column has
 * read them, by meaning and not by spelling.
 */
export function differs(stream: Stream): RawBuilder<boolean> {
  const steady = Object.keys(stream.columns).filter((name) => !stream.volatile.includes(name))
  const columns = steady.map((name) => columnDiffers(stream, name))
  const rest = (table: string, names: RawBuilder<unknown>) =>
    sql`${sql.id(table, '_raw')} - ${[...stream.volatile]}::text[] - ${names}`
  const none = sql`'{}'::text[]`
  const read = sql`array[${sql.join(steady.flatMap((name) => fieldsRead(stream, name)))}]::text[]`
  return sql`case when ${sql.join(columns, sql` or `)} then true
    when (${rest('h', none)}) is not distinct from (${rest('i', none)}) then false
    else not callsheet.same(${rest('h', read)}, ${rest('i', read)}) end`
}

function columnDiffers(stream: Stream, name: string): RawBuilder<unknown> {
  const held = sql.id('h', name)
  const came = received(stream, { name, from: 'i', held: 'h' })
  const other = sql`${held} is distinct from ${came}`
  return stream.columns[name]?.pg === 'jsonb'
    ? sql`(${other} and not callsheet.same(${held}, ${came}))`
    : other
}

/** The payload fields behind a column that has a value in both rows: the column is compared instead. */
function fieldsRead({ aliases }: Stream, name: string): RawBuilder<unknown>[] {
  const both = sql`${sql.id('h', name)} is not null and ${sql.id('i', name)} is not null`
  // The empty text matches no field.
  return [name, ...(aliases?.[name] ?? [])].map(
    (field) => sql`case when ${both} then ${field} else '' end`,
  )
}

/**
 * The value to store. A known row keeps its last usable instant if the new one is null: without it no window
 * would own the row or find it missing.
 */
export function received(
  { sync }: Stream,
  { name, from, held }: { name: string; from: string; held: string },
): RawBuilder<unknown> {
  if (sync.kind !== 'windows' || sync.cursor !== name) return sql.id(from, name)
  return sql`coalesce(${sql.id(from, name)}, ${sql.id(held, name)})`
}
