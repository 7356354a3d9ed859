import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'

/**
 * True when anything but the volatile fields says something else. Of the payload that is judged by what no
 * column has read, and not by how it is spelled.
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

/** The payload's fields that a column was read from in both: the column says whether they differ. */
function fieldsRead({ aliases }: Stream, name: string): RawBuilder<unknown>[] {
  const both = sql`${sql.id('h', name)} is not null and ${sql.id('i', name)} is not null`
  // What is null here is no field of anything.
  return [name, ...(aliases?.[name] ?? [])].map(
    (field) => sql`case when ${both} then ${field} else '' end`,
  )
}

/**
 * A known row keeps the last usable instant by which a window owns it: without one no window could ever
 * miss it.
 */
export function received(
  { sync }: Stream,
  { name, from, held }: { name: string; from: string; held: string },
): RawBuilder<unknown> {
  if (sync.kind !== 'windows' || sync.cursor !== name) return sql.id(from, name)
  return sql`coalesce(${sql.id(from, name)}, ${sql.id(held, name)})`
}
