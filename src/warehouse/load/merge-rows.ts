import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import { noCounts, type PreparedRow, type RowCounts } from '../../core/records/row-batch.ts'
import type { Transaction } from '../connection/connect.ts'
import {
  columnList,
  current,
  endVersion,
  incoming,
  loadColumns,
  sameKey,
} from '../connection/table-sql.ts'

export interface MergeTarget {
  account: string
  runId: number
  stream: Stream
}

/**
 * Merges rows by key: inserts the new, updates what differs and keeps the version before it in the history.
 * A row that compares equal is not written, whatever its hash said. Keys within `rows` must be distinct.
 */
export async function mergeRows(
  tx: Transaction,
  target: MergeTarget,
  rows: readonly PreparedRow[],
): Promise<RowCounts> {
  if (rows.length === 0) return noCounts()
  const { stream } = target
  const statement = sql<{ inserted: number; updated: number }>`
    with ${incoming(stream, rows)},
    held as (
      select t.* from ${current(stream)} t join incoming i on ${sameKey(stream, 't', 'i')}
      where t.account = ${target.account} for update of t),
    judged as (
      select i.*, h._hash is null as is_new, h._deleted_at is not null as was_gone,
        ${differs(stream)} as differs, h._raw is distinct from i._raw as raw_differs
      from incoming i left join held h on ${sameKey(stream, 'h', 'i')}),
    ended as (${keepVersions(target)}),
    updated as (${updateRows(target)}),
    rehashed as (${rehashRows(target)}),
    inserted as (${insertRows(target)})
    select (select count(*) from inserted)::int as inserted,
      (select count(*) filter (where changed) from updated)::int as updated`
  const { rows: answers } = await statement.execute(tx)
  const { inserted = 0, updated = 0 } = answers[0] ?? {}
  return { inserted, updated, unchanged: rows.length - inserted - updated, deleted: 0 }
}

/**
 * True when anything but the volatile fields says something else. Of the payload that is judged by what no
 * column has read, and not by how it is spelled.
 */
function differs(stream: Stream): RawBuilder<unknown> {
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
function received(
  { sync }: Stream,
  { name, from, held }: { name: string; from: string; held: string },
): RawBuilder<unknown> {
  if (sync.kind !== 'windows' || sync.cursor !== name) return sql.id(from, name)
  return sql`coalesce(${sql.id(from, name)}, ${sql.id(held, name)})`
}

function keepVersions({ stream, runId }: MergeTarget): RawBuilder<unknown> {
  const rows = sql`from held h join judged j on ${sameKey(stream, 'h', 'j')}
    where j.differs and not j.was_gone`
  return endVersion(stream, { alias: 'h', end: 'changed', runId, rows })
}

function updateRows({ account, stream, runId }: MergeTarget): RawBuilder<unknown> {
  const assignments = loadColumns(stream).map(
    (name) => sql`${sql.id(name)} = ${received(stream, { name, from: 'j', held: 't' })}`,
  )
  // An audited version stays as its entry of the evidence tells: another spelling of it is not taken over.
  const respelled = stream.audited === true ? sql`false` : sql`j.raw_differs`
  return sql`update ${current(stream)} t set ${sql.join(assignments)},
      _changed_at = case when j.differs or j.was_gone then callsheet.clock() else t._changed_at end,
      _deleted_at = null, _run_id = ${runId}
    from judged j
    where t.account = ${account} and ${sameKey(stream, 't', 'j')} and not j.is_new
      and (j.differs or j.was_gone or ${respelled})
    returning (j.differs or j.was_gone) as changed`
}

/** The hash alone of an audited row of which only the spelling differs: the next reading knows it by that. */
function rehashRows({ account, stream }: MergeTarget): RawBuilder<unknown> {
  return sql`update ${current(stream)} t set _hash = j._hash from judged j
    where ${stream.audited === true} and t.account = ${account} and ${sameKey(stream, 't', 'j')}
      and not (j.is_new or j.differs or j.was_gone) and t._hash <> j._hash`
}

function insertRows({ account, stream, runId }: MergeTarget): RawBuilder<unknown> {
  const names = loadColumns(stream)
  return sql`insert into ${current(stream)}
      (account, ${columnList(names)}, _first_seen_at, _changed_at, _run_id)
    select ${account}, ${columnList(names, 'j')}, callsheet.clock(), callsheet.clock(), ${runId}
    from judged j where j.is_new returning 1`
}
