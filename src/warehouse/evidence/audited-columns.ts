import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { PreparedRow } from '../../core/records/row-batch.ts'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'
import { current, incoming, incomingInOrder, sameKey } from '../connection/table-sql.ts'
import { subjectOf, type Where } from './audited-records.ts'

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

interface OfStream {
  account: string
  stream: Stream
}

/** All versions of a stream's records in one of its two tables; the last of a gone one is in both. */
export function placedVersions(
  tx: Transaction,
  { account, stream }: OfStream,
  where: Where,
): AsyncGenerator<PlacedVersion> {
  const key = sql.join(stream.key.map((name) => sql.id('t', name)))
  const query = sql<PlacedVersion>`
    select t.tableoid::text as "table", t.ctid::text as place, ${subjectOf(stream, 't')} as subject,
      array[${key}]::text[] as key, t._bytes as bytes,
      t._deleted_at is not null as deleted
    from ${sql.id(where, stream.name)} t
    where t.account = ${account} and t._bytes is not null`
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
  const { rows } = await sql<Difference>`
    with ${incomingInOrder(stream, made)},
    placed as (
      select a::oid as lies_in, b::tid as place, at
      from unnest(${tables}::text[], ${places}::text[]) with ordinality as u(a, b, at)),
    compared as (
      select (p.at - 1)::int as at, array_remove(array[${differences(stream)}]::text[], null) as columns
      from placed p join incoming i on i.at = p.at
        join ${sql.id(where, stream.name)} t on t.tableoid = p.lies_in and t.ctid = p.place)
    select at, columns from compared where columns <> '{}' order by at`.execute(tx)
  return rows
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
  const parent = sql.id(stream.key[0] as string)
  const { rows } = await sql<DifferentParts>`
    with ${incoming(stream, made)},
    held as (
      select * from ${current(stream)} t
      where t.account = ${account} and t.${parent} = any(${[...parents]}::text[]) and t._deleted_at is null),
    compared as (
      select coalesce(i.${parent}, t.${parent})::text as parent, t.${parent} is null as missing,
        i.${parent} is null as added, array_remove(array[${differences(stream)}]::text[], null) as columns
      from incoming i full join held t on ${sameKey(stream, 'i', 't')})
    select parent, count(*) filter (where missing)::int as missing,
      count(*) filter (where added)::int as added,
      count(*) filter (where not missing and not added)::int as changed
    from compared where columns <> '{}' group by parent`.execute(tx)
  return rows
}

/** The names of the columns that differ between `i`, made of the bytes, and `t`, the table's. */
function differences(stream: Stream): RawBuilder<unknown> {
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
  return sql.join([...columns, raw])
}
