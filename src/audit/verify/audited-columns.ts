import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { PreparedRow } from '../../core/records/row-batch.ts'
import { type OfStream, type RowSchema, subjectOf } from '../../evidence/sql/audited-records.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'
import {
  columnList,
  current,
  incomingInOrder,
  incomingRows,
  sameKey,
  tableOf,
} from '../../warehouse/schema/table-sql.ts'

/** A version of an audited record with its physical place and its exact bytes. */
export interface PlacedVersion {
  /** The database's numbers of a table and of a row in it; they are valid within a snapshot. */
  table: string
  place: string
  subject: string
  key: string[]
  bytes: Buffer
  /** Whether its record is marked as deleted. Then its parts are too. */
  deleted: boolean
}

/** All versions of a stream's records in one of its tables. A deleted record's last one is in both. */
export function placedVersions(
  tx: Transaction,
  { account, stream }: OfStream,
  where: RowSchema,
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

/** The columns of a version that differ from the row made from its bytes. */
export interface Difference {
  /** The version's index among the given ones. */
  at: number
  columns: string[]
}

/** Compares each version with the row that was made from its bytes. */
export async function differentColumns(
  tx: Transaction,
  { stream, where }: { stream: Stream; where: RowSchema },
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

/** How the table's rows of one parent differ from those cut from its record. */
export interface DifferentParts {
  parent: string
  missing: number
  added: number
  changed: number
}

/** Compares the table's rows of some parents with the rows cut from the parents' bytes. */
export async function differentParts(
  tx: Transaction,
  { account, stream }: OfStream,
  { parents, made }: { parents: readonly string[]; made: readonly PreparedRow[] },
): Promise<DifferentParts[]> {
  // The key of a part begins with its parent's key.
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

/** The names of the columns that differ between `i`, made from the bytes, and `t`, the table's row. */
function differences(stream: Stream): RawBuilder<string[]> {
  const names = Object.keys(stream.columns).filter((name) => !stream.volatile.includes(name))
  const columns = names.map((name) => {
    const [made, held] = [sql.id('i', name), sql.id('t', name)]
    // A usable instant of a window is kept if the record later has none.
    const kept = stream.sync.kind === 'windows' && stream.sync.cursor === name
    const differs = sql`${made} is distinct from ${held}`
    return sql`case when ${kept ? sql`${made} is not null and ${differs}` : differs} then ${name} end`
  })
  const payload = (table: string) => sql`${sql.id(table, '_raw')} - ${[...stream.volatile]}::text[]`
  // The parts may come from another spelling of the record than the stored bytes.
  const raw = sql`case when (${payload('i')}) is distinct from (${payload('t')})
    and not callsheet.same(${payload('i')}, ${payload('t')}) then 'payload' end`
  return sql<string[]>`array_remove(array[${sql.join([...columns, raw])}]::text[], null)`
}
