import { type RawBuilder, sql } from 'kysely'
import type { Owned } from '../../core/records/row-batch.ts'
import { iso } from '../../core/time/time.ts'

/** The condition for the rows of table alias `table` that a group of slices owns. */
export function ownedBy(owned: Owned, table: string): RawBuilder<boolean> {
  if (owned.kind === 'all') return sql<boolean>`true`
  const column = sql.id(table, owned.column)
  if (owned.kind === 'parents') return sql<boolean>`${column} = any(${[...owned.keys]}::text[])`
  if (owned.kind === 'timeless') return sql<boolean>`${column} is null`
  const ranges = owned.windows.map(
    ({ fromMs, toMs }) =>
      sql`(${column} >= ${iso(fromMs)}::timestamptz and ${column} < ${iso(toMs)}::timestamptz)`,
  )
  const beside = owned.orTrue === undefined ? [] : [sql`${sql.id(table, owned.orTrue)}`]
  return sql<boolean>`(${sql.join([sql`false`, ...ranges, ...beside], sql` or `)})`
}
