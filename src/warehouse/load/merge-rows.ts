import { type QueryCreator, type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { noCounts, type PreparedRow, type RowCounts } from '../../core/records/row-batch.ts'
import type { Transaction } from '../connect.ts'
import { now } from '../schema/expressions.ts'
import {
  columnsOf,
  current,
  endVersions,
  type Incoming,
  incomingRows,
  loadColumns,
  sameKey,
  selected,
  type Writable,
} from '../schema/table-sql.ts'
import type { Database, StreamRow } from '../schema/types.ts'

export interface MergeTarget {
  account: string
  runId: number
  stream: Stream
}

/**
 * Merges rows by key: inserts new rows, updates rows that differ, and stores the earlier version of these in
 * the history. A row with the same meaning gets no version and counts as unchanged: only its spelling,
 * volatile fields or hash are updated, and `_run_id` stays. The keys of `rows` must be distinct.
 */
export async function mergeRows(
  tx: Transaction,
  target: MergeTarget,
  rows: readonly PreparedRow[],
): Promise<RowCounts> {
  if (rows.length === 0) return noCounts()
  const { account, stream } = target
  const { updated, ...counted } = await tx
    .$extendTables<Writable>()
    .with('incoming', incomingRows(stream, rows))
    .with('held', (db) =>
      db
        .selectFrom(current(stream).as('t'))
        .innerJoin('incoming as i', (join) => join.on(sameKey(stream, 't', 'i')))
        .selectAll('t')
        .where('t.account', '=', account)
        .forUpdate('t'),
    )
    .with('judged', (db) =>
      db
        .selectFrom('incoming as i')
        .leftJoin('held as h', (join) => join.on(sameKey(stream, 'h', 'i')))
        .selectAll('i')
        .select(({ eb, ref }) => [
          eb('h._hash', 'is', null).as('is_new'),
          eb('h._deleted_at', 'is not', null).as('was_gone'),
          differs(stream).as('differs'),
          eb('h._raw', 'is distinct from', ref('i._raw')).as('raw_differs'),
        ]),
    )
    .with('ended', (db) => keepVersions(db, target))
    .with('updated', (db) => updateRows(db, target))
    .with('rehashed', (db) => rehashRows(db, target))
    .with('inserted', (db) => insertRows(db, target))
    .selectFrom('updated')
    .select(({ fn, ref, selectFrom }) => [
      fn.countAll<number>().filterWhere(ref('changed')).as('updated'),
      selectFrom('inserted').select(fn.countAll<number>().as('rows')).as('inserted'),
    ])
    .executeTakeFirstOrThrow()
  const inserted = counted.inserted ?? 0
  return { ...noCounts(), inserted, updated, unchanged: rows.length - inserted - updated }
}

interface Judged extends Incoming {
  is_new: boolean
  was_gone: boolean
  differs: boolean
  raw_differs: boolean
}

type Merging = QueryCreator<Database & Writable & { held: StreamRow; judged: Judged }>

function keepVersions(db: Merging, { stream, runId }: MergeTarget) {
  const rows = db
    .selectFrom('held as h')
    .innerJoin('judged as j', (join) => join.on(sameKey(stream, 'h', 'j')))
    .selectAll('h')
    .where('j.differs', '=', true)
    .where('j.was_gone', '=', false)
  return endVersions(db, stream, { rows, end: 'changed', runId })
}

function updateRows(db: Merging, { account, stream, runId }: MergeTarget) {
  let update = db.updateTable(current(stream).as('t')).from('judged as j')
  for (const name of loadColumns(stream))
    update = update.set(sql.id(name), received(stream, { name, from: 'j', held: 't' }))
  // The evidence has an entry for each version of an audited row, so a version keeps its spelling.
  const respelled = stream.audited === true ? sql<boolean>`false` : sql<boolean>`j.raw_differs`
  return update
    .set({
      _changed_at: sql`case when ${changed} then ${now} else t._changed_at end`,
      _run_id: sql`case when ${changed} then ${runId}::bigint else t._run_id end`,
      _deleted_at: null,
      _deleted_run_id: null,
    })
    .where('t.account', '=', account)
    .where(sameKey(stream, 't', 'j'))
    .where('j.is_new', '=', false)
    .where(({ or }) => or([changed, respelled]))
    .returning(changed.as('changed'))
}

/**
 * Updates only the hash of an audited row that came in another spelling, or of a row that was rewritten here
 * (`rewrittenHash`), so the next read recognizes it.
 */
function rehashRows(db: Merging, { account, stream }: MergeTarget) {
  return db
    .updateTable(current(stream).as('t'))
    .from('judged as j')
    .set(({ ref }) => ({ _hash: ref('j._hash') }))
    .where(({ or, val }) =>
      or([val(stream.audited === true), sql<boolean>`substring(t._hash from 13) = '\\x00000000'`]),
    )
    .where('t.account', '=', account)
    .where(sameKey(stream, 't', 'j'))
    .where(({ not, or, ref }) => not(or([ref('j.is_new'), changed])))
    .whereRef('t._hash', '<>', 'j._hash')
}

function insertRows(db: Merging, { account, stream, runId }: MergeTarget) {
  const values = {
    account: sql.val(account),
    ...columnsOf('j', loadColumns(stream)),
    _first_seen_at: now,
    _changed_at: now,
    _run_id: sql.val(runId),
  }
  return db
    .insertInto(`svc.${stream.name}`)
    .columns(Object.keys(values))
    .expression(db.selectFrom('judged as j').select(selected(values)).where('j.is_new', '=', true))
    .returning('account')
}

/**
 * True if a row differs in anything but volatile fields. Values are compared by meaning, not by spelling; a
 * payload field is compared only if no column was read from it.
 */
function differs(stream: Stream): RawBuilder<boolean> {
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

/** The payload fields of a column that has a value in both rows: the column is compared instead. */
function fieldsRead({ aliases }: Stream, name: string): RawBuilder<unknown>[] {
  const both = sql`${sql.id('h', name)} is not null and ${sql.id('i', name)} is not null`
  // The empty text matches no field.
  return [name, ...(aliases?.[name] ?? [])].map(
    (field) => sql`case when ${both} then ${field} else '' end`,
  )
}

/**
 * The value to store. If a row's new instant is null, its last instant stays: without one, no window would
 * own the row or find it missing.
 */
function received(
  { sync }: Stream,
  { name, from, held }: { name: string; from: string; held: string },
): RawBuilder<unknown> {
  if (sync.kind !== 'windows' || sync.cursor !== name) return sql.id(from, name)
  return sql`coalesce(${sql.id(from, name)}, ${sql.id(held, name)})`
}

/** True if a known row differs or was deleted before. */
const changed = sql<boolean>`(j.differs or j.was_gone)`
