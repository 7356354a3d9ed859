import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { PreparedRow } from '../../core/records/row-batch.ts'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'
import { anyOf } from '../connection/expressions.ts'
import {
  columnList,
  current,
  incomingInOrder,
  incomingRows,
  sameKey,
  tableOf,
} from '../connection/table-sql.ts'
import { type OfStream, subjectOf, type Where } from './audited-records.ts'

/** A version of an audited record where it lies, with its exact bytes. */
export interface PlacedVersion {
  /** By the numbers that the database has for a table and a row in it; they hold for a snapshot. */
  table: string
  place: string
  subject: string
  key: string[]
  bytes: Buffer
  /** Whether its record is marked as gone: its parts are so too. */
  deleted: boolean
}

/** All versions of a stream's records in one of its two tables; the last of a gone one is in both. */
export function placedVersions(
  tx: Transaction,
  { account, stream }: OfStream,
  where: Where,
): AsyncGenerator<PlacedVersion> {
  const key = columnList(stream.key, 't')
  const query = tx
    .selectFrom(tableOf(where, stream).as('t'))
    .select(({ ref }) => [
      sql<string>`t.tableoid::text`.as('table'),
      sql<string>`t.ctid::text`.as('place'),
      subjectOf(stream, 't').as('subject'),
      sql<string[]>`array[${key}]::text[]`.as('key'),
      ref('t._bytes').$notNull().as('bytes'),
      sql<boolean>`t._deleted_at is not null`.as('deleted'),
    ])
    .where('t.account', '=', account)
    .where('t._bytes', 'is not', null)
  return cursorRows(tx, `places of ${where}.${stream.name}`, query)
}

/** The columns of a version that are not what the row made from its bytes has there. */
export interface Difference {
  /** Its place among the versions that were given. */
  at: number
  columns: string[]
}

/** Compares versions with the rows that were made from their bytes, each with its own. */
export async function differentColumns(
  tx: Transaction,
  { stream, where }: { stream: Stream; where: Where },
  versions: readonly { placed: PlacedVersion; row: PreparedRow }[],
): Promise<Difference[]> {
  const tables = versions.map(({ placed }) => placed.table)
  const places = versions.map(({ placed }) => placed.place)
  const made = versions.map(({ row }) => row)
  const placed = sql<{ at: number }>`(select a::oid as lies_in, b::tid as place, at
    from unnest(${tables}::text[], ${places}::text[]) with ordinality as u(a, b, at))`
  const compared = tx
    .selectFrom(placed.as('p'))
    .innerJoin(incomingInOrder(stream, made).as('i'), 'i.at', 'p.at')
    .innerJoin(tableOf(where, stream).as('t'), (join) =>
      join.on(sql<boolean>`t.tableoid = p.lies_in and t.ctid = p.place`),
    )
    .select(['p.at', differences(stream).as('columns')])
  const rows = await tx
    .selectFrom(compared.as('compared'))
    .select(['at', 'columns'])
    .where('columns', '<>', sql<string[]>`'{}'`)
    .orderBy('at')
    .execute()
  return rows.map(({ at, columns }) => ({ at: at - 1, columns }))
}

/** Rows that are cut from a record: which of a parent's the table has otherwise. */
export interface DifferentParts {
  parent: string
  missing: number
  added: number
  changed: number
}

/** Compares what the table has of some parents with the rows that were cut from the parents' bytes. */
export async function differentParts(
  tx: Transaction,
  { account, stream }: OfStream,
  { parents, made }: { parents: readonly string[]; made: readonly PreparedRow[] },
): Promise<DifferentParts[]> {
  // What is cut from a record has its key before its own.
  const [part] = stream.key as [string]
  const [cut, had] = [sql.id('i', part), sql.id('t', part)]
  const held = tx
    .selectFrom(current(stream).as('t'))
    .selectAll('t')
    .where('t.account', '=', account)
    .where(had, '=', anyOf(parents))
    .where('t._deleted_at', 'is', null)
  const compared = tx
    .selectFrom(incomingRows(stream, made).as('i'))
    .fullJoin(held.as('t'), (join) => join.on(sameKey(stream, 'i', 't')))
    .select(({ eb }) => [
      sql<string>`coalesce(${cut}, ${had})::text`.as('parent'),
      eb(had, 'is', null).as('missing'),
      eb(cut, 'is', null).as('added'),
      differences(stream).as('columns'),
    ])
  return await tx
    .selectFrom(compared.as('compared'))
    .select(({ fn, not, or, ref }) => [
      'parent',
      fn.countAll<number>().filterWhere(ref('missing')).as('missing'),
      fn.countAll<number>().filterWhere(ref('added')).as('added'),
      fn
        .countAll<number>()
        .filterWhere(not(or([ref('missing'), ref('added')])))
        .as('changed'),
    ])
    .where('columns', '<>', sql<string[]>`'{}'`)
    .groupBy('parent')
    .execute()
}

/** The names of the columns that differ between `i`, made of the bytes, and `t`, the table's. */
function differences(stream: Stream): RawBuilder<string[]> {
  const names = Object.keys(stream.columns).filter((name) => !stream.volatile.includes(name))
  const columns = names.map((name) => {
    const [made, held] = [sql.id('i', name), sql.id('t', name)]
    // A window's instant that became unusable is kept as it was.
    const kept = stream.sync.kind === 'windows' && stream.sync.cursor === name
    const differs = sql`${made} is distinct from ${held}`
    return sql`case when ${kept ? sql`${made} is not null and ${differs}` : differs} then ${name} end`
  })
  const payload = (table: string) => sql`${sql.id(table, '_raw')} - ${[...stream.volatile]}::text[]`
  // What is cut from a record may have come in another spelling than the bytes that are kept of it.
  const raw = sql`case when (${payload('i')}) is distinct from (${payload('t')})
    and not callsheet.same(${payload('i')}, ${payload('t')}) then 'payload' end`
  return sql<string[]>`array_remove(array[${sql.join([...columns, raw])}]::text[], null)`
}
