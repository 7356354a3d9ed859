import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Warehouse } from '../connect.ts'
import { anyOf } from '../schema/expressions.ts'
import { firstKey, presentRows } from '../schema/table-sql.ts'

export async function countPresent(
  { db }: Warehouse,
  of: { account: string; stream: Stream },
): Promise<number> {
  const { present } = await db
    .selectFrom(presentRows(of).as('t'))
    .select(({ fn }) => fn.countAll<number>().as('present'))
    .executeTakeFirstOrThrow()
  return present
}

/** Counts present rows without an instant in `column`, by which rows belong to windows. */
export async function countTimeless(
  { db }: Warehouse,
  { column, ...of }: { account: string; stream: Stream; column: string },
): Promise<number> {
  const { timeless } = await db
    .selectFrom(presentRows(of).as('t'))
    .select(({ fn }) => fn.countAll<number>().as('timeless'))
    .where(sql.id('t', column), 'is', null)
    .executeTakeFirstOrThrow()
  return timeless
}

/** Counts a stream's rows (`owned`), parents with rows (`filled`), and rows of `parents` (`missing`). */
export async function countLists(
  { db }: Warehouse,
  of: { account: string; stream: Stream },
  parents: readonly string[],
): Promise<{ owned: number; filled: number; missing: number }> {
  const parent = firstKey(of.stream, 't')
  return await db
    .selectFrom(presentRows(of).as('t'))
    .select(({ fn }) => [
      fn.countAll<number>().as('owned'),
      sql<number>`count(distinct ${parent})`.as('filled'),
      fn.countAll<number>().filterWhere(parent, '=', anyOf(parents)).as('missing'),
    ])
    .executeTakeFirstOrThrow()
}

/**
 * Counts present rows that have an empty column because its value was unreadable, and names these columns.
 * Only columns with recorded drift are checked, except the one that places rows in windows.
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

/** Returns up to 1,000 distinct values of a column in present rows, without the empty text. */
export async function valuesOf(
  { db }: Warehouse,
  of: { account: string; stream: Stream },
  column: string,
): Promise<string[]> {
  const value = sql.id<string>('t', column)
  const rows = await db
    .selectFrom(presentRows(of).as('t'))
    .select(value.as('value'))
    .distinct()
    .where(value, '<>', '')
    .orderBy('value')
    .limit(MOST)
    .execute()
  return rows.map((row) => row.value)
}

const MOST = 1_000
