import {
  type AliasableExpression,
  type AliasedExpression,
  expressionBuilder,
  type QueryCreator,
  type RawBuilder,
  sql,
} from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { PreparedRow } from '../../core/records/row-batch.ts'
import { now } from './expressions.ts'
import type { Database, EndedRow, StreamRow } from './types.ts'

/** The table of a stream's current rows. */
export const current = (stream: Stream): RawBuilder<StreamRow> => tableOf('svc', stream)

/** A stream's current or history table, for the query builder. */
export function tableOf(schema: 'svc' | 'history', stream: Stream): RawBuilder<StreamRow> {
  return sql<StreamRow>`${sql.id(schema, stream.name)}`
}

/** Allows any column for tables that are known only at run time. */
export type Writable = { [table: `svc.${string}` | `history.${string}`]: Record<string, unknown> }

/** Selects an account's rows that are not deleted. */
export function presentRows({ account, stream }: { account: string; stream: Stream }) {
  return expressionBuilder<Database>()
    .selectFrom(current(stream).as('r'))
    .selectAll()
    .where('r.account', '=', account)
    .where('r._deleted_at', 'is', null)
}

/** True if the instant in this column has not passed, or if there is no column or instant. */
export function unexpired(table: string, column: string | undefined): RawBuilder<boolean> {
  return column === undefined ? sql`true` : sql`coalesce(${sql.id(table, column)} > ${now}, true)`
}

/** The columns that a prepared row fills, in the order of `textsOf`. */
export function loadColumns(stream: Stream): string[] {
  return [...Object.keys(stream.columns), '_raw', '_bytes', '_hash']
}

export function textsOf(row: PreparedRow): (string | null)[] {
  return [...row.values, row.raw, bytesOf(row), hashOf(row)]
}

export function bytesOf({ source }: PreparedRow): string | null {
  return source === null ? null : byteaText(Buffer.from(source, 'utf8'))
}

export function hashOf({ hash }: PreparedRow): string {
  return byteaText(hash)
}

/** Returns bytes in hex, as Postgres reads them. */
export function byteaText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}

type Ended = AliasableExpression<Pick<StreamRow, '_changed_at'>>

/** Inserts the present versions of rows into the history, as ended now. */
export function endVersions(
  db: QueryCreator<Database & Writable>,
  stream: Stream,
  { rows, end, runId }: { rows: Ended; end: EndedRow['_end']; runId: number },
) {
  const values = {
    ...columnsOf('h', ['account', ...loadColumns(stream), ...BOOKKEEPING]),
    _valid_from: sql.ref('h._changed_at'),
    _valid_to: now,
    _ended_by_run: sql.val(runId),
    _end: sql.val(end),
  }
  return db
    .insertInto(`history.${stream.name}`)
    .columns(Object.keys(values))
    .expression(db.selectFrom(rows.as('h')).select(selected(values)))
}

/** Returns references to these columns of a table, by name. */
export function columnsOf(table: string, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, sql.id(table, name)]))
}

/** Returns the expressions to select for an insert, in the order of `values`. */
export function selected(values: Readonly<Record<string, RawBuilder<unknown>>>) {
  return Object.entries(values).map(([name, value]) => value.as(name))
}

export function columnList(names: readonly string[], table?: string): RawBuilder<unknown> {
  return sql.join(names.map((name) => (table === undefined ? sql.id(name) : sql.id(table, name))))
}

export type Incoming = Pick<StreamRow, '_raw' | '_bytes' | '_hash'>

/** Returns rows as a relation with typed columns, using one parameter per column. */
export function incomingRows(stream: Stream, rows: readonly PreparedRow[]): RawBuilder<Incoming> {
  return sql`(select ${typedColumns(stream)} from ${textRows(stream, rows)}
    as i(${columnList(loadColumns(stream))}))`
}

function typedColumns(stream: Stream): RawBuilder<unknown> {
  return sql.join(loadColumns(stream).map((name) => cast(stream, 'i', name)))
}

function textRows(stream: Stream, rows: readonly PreparedRow[]): RawBuilder<unknown> {
  const texts = rows.map(textsOf)
  const columns = loadColumns(stream).map(
    (_, at) => sql`${texts.map((row) => row[at] ?? null)}::text[]`,
  )
  return sql`unnest(${sql.join(columns)})`
}

type Keys = readonly (readonly string[])[]

/** Returns keys as a relation with the stream's typed key columns. */
export function typedKeys(stream: Stream, keys: Keys): RawBuilder<unknown> {
  return sql`(select ${sql.join(stream.key.map((name) => cast(stream, 'k', name)))}
    from ${keyRows(stream, keys)})`
}

/** The first part of a key; for a child stream it is the parent's key. */
export function firstKey({ key }: Stream, table: string): RawBuilder<string> {
  return sql.id(table, key[0] as string)
}

export function keyTexts(stream: Stream, table: string): RawBuilder<string[]> {
  return sql`array[${sql.join(stream.key.map((name) => sql`${sql.id(table, name)}::text`))}]`
}

/** Returns keys as a relation with a column `key`, an array of texts. */
export function keyArrays(stream: Stream, keys: Keys): RawBuilder<{ key: string[] }> {
  return sql`(select array[${columnList(stream.key, 'k')}] as key from ${keyRows(stream, keys)})`
}

/** Returns keys as a relation `k` with one text column per part. */
export function keyRows(stream: Stream, keys: Keys): AliasedExpression<object, 'k'> {
  const parts = stream.key.map((_, at) => sql`${keys.map((key) => key[at] ?? null)}::text[]`)
  return sql<object>`unnest(${sql.join(parts)})`.as(sql`k(${columnList(stream.key)})`)
}

function cast(stream: Stream, table: string, name: string): RawBuilder<unknown> {
  return sql`${sql.id(table, name)}::${typeOf(stream, name)} as ${sql.id(name)}`
}

export function sameKey(stream: Stream, left: string, right: string): RawBuilder<boolean> {
  const pairs = stream.key.map((name) => sql`${sql.id(left, name)} = ${sql.id(right, name)}`)
  return sql<boolean>`${sql.join(pairs, sql` and `)}`
}

function typeOf(stream: Stream, name: string): RawBuilder<unknown> {
  const declared = stream.columns[name]?.pg ?? META_TYPES[name] ?? 'text'
  return TYPES[declared] ?? sql`text`
}

const BOOKKEEPING = ['_first_seen_at', '_changed_at', '_deleted_at', '_run_id', '_deleted_run_id']
const META_TYPES: Record<string, string> = { _raw: 'jsonb', _bytes: 'bytea', _hash: 'bytea' }

/** A closed map, so that no type name is ever spliced into SQL. */
const TYPES: Record<string, RawBuilder<unknown>> = {
  text: sql`text`,
  bigint: sql`bigint`,
  boolean: sql`boolean`,
  timestamptz: sql`timestamptz`,
  'text[]': sql`text[]`,
  jsonb: sql`jsonb`,
  bytea: sql`bytea`,
}
