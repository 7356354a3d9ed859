import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Warehouse } from '../connect.ts'
import { presentRows } from '../schema/table-sql.ts'

/**
 * Counts present rows with an empty column in place of an unreadable value, and names these columns. It
 * checks only columns with recorded drift, except the one that places rows in windows.
 */
export async function countUnread(
  { db }: Warehouse,
  { account, stream }: { account: string; stream: Stream },
): Promise<{ rows: number; columns: string[] }> {
  const broken = await db
    .selectFrom('callsheet.drift')
    .select('path')
    .distinct()
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .where('kind', '=', 'broken_value')
    .orderBy('path')
    .execute()
  const { sync, columns } = stream
  const cursor = sync.kind === 'windows' ? sync.cursor : undefined
  const named = broken.filter(({ path }) => path in columns && path !== cursor)
  const found = { rows: 0, columns: new Array<string>() }
  const unread = named.map(({ path }) => {
    const fields = [path, ...(stream.aliases?.[path] ?? [])]
    const came = fields.map((field) => sql`coalesce(t._raw ->> ${field}, '') <> ''`)
    return sql<boolean>`(${sql.id('t', path)} is null and (${sql.join(came, sql` or `)}))`
  })
  if (unread.length === 0) return found
  const counts = await db
    .selectFrom(presentRows({ account, stream }).as('t'))
    .select(({ fn }) => [
      fn.countAll<number>().as('rows'),
      sql<
        boolean[]
      >`array[${sql.join(unread.map((one) => sql`coalesce(bool_or(${one}), false)`))}]`.as('of'),
    ])
    .where(sql<boolean>`(${sql.join(unread, sql` or `)})`)
    .executeTakeFirstOrThrow()
  return {
    rows: counts.rows,
    columns: named.flatMap(({ path }, at) => (counts.of[at] === true ? [path] : [])),
  }
}
