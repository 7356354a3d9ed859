import { type AliasedExpression, type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { PreparedRow } from '../../core/records/row-batch.ts'
import type { StreamRow } from './types.ts'

/**
 * The pieces of SQL that every statement over a stream's table is put together from. Names come from
 * declarations.
 */

export const current = (stream: Stream): RawBuilder<StreamRow> => tableOf('svc', stream)
const history = (stream: Stream): RawBuilder<StreamRow> => tableOf('history', stream)

/** One of a stream's two tables, for the query builder. */
export function tableOf(schema: 'svc' | 'history', stream: Stream): RawBuilder<StreamRow> {
  return sql<StreamRow>`${sql.id(schema, stream.name)}`
}

/** The columns that a prepared row fills, in the order of `textsOf`. */
export function loadColumns(stream: Stream): string[] {
  return [...Object.keys(stream.columns), '_raw', '_bytes', '_hash']
}

export function textsOf(row: PreparedRow): (string | null)[] {
  return [...row.values, row.raw, bytesOf(row), hashOf(row)]
}

export function bytesOf({ source }: PreparedRow): string | null {
  return source === null ? null : `\\x${Buffer.from(source, 'utf8').toString('hex')}`
}

export function hashOf({ hash }: PreparedRow): string {
  return `\\x${hash.toString('hex')}`
}

/**
 * Keeps what a row was until now: the insert of the versions that `rows` (from ... where) selects as
 * `alias`.
 */
export function endVersion(
  stream: Stream,
  version: { alias: string; end: 'changed' | 'deleted'; runId: number; rows: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const { alias, end, runId, rows } = version
  const kept = ['account', ...loadColumns(stream), ...BOOKKEEPING]
  return sql`insert into ${history(stream)}
      (${columnList(kept)}, _valid_from, _valid_to, _ended_by_run, _end)
    select ${columnList(kept, alias)}, ${sql.id(alias, '_changed_at')}, callsheet.clock(), ${runId}, ${end}
    ${rows}`
}

export function columnList(names: readonly string[], table?: string): RawBuilder<unknown> {
  return sql.join(names.map((name) => (table === undefined ? sql.id(name) : sql.id(table, name))))
}

/**
 * Rows as one relation `incoming` with typed columns: one parameter a column, whatever the number of rows.
 */
export function incoming(stream: Stream, rows: readonly PreparedRow[]): RawBuilder<unknown> {
  return sql`incoming as ${incomingRows(stream, rows)}`
}

/** The same without a name. */
export function incomingRows(stream: Stream, rows: readonly PreparedRow[]): RawBuilder<object> {
  return sql<object>`(select ${typedColumns(stream)} from ${textRows(stream, rows)}
    as i(${columnList(loadColumns(stream))}))`
}

/** With a column `at`: the place of each among the rows that were given, from 1. */
export function incomingInOrder(
  stream: Stream,
  rows: readonly PreparedRow[],
): RawBuilder<{ at: number }> {
  return sql`(select ${typedColumns(stream)}, i.at from ${textRows(stream, rows)}
    with ordinality as i(${columnList(loadColumns(stream))}, at))`
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

/** Keys alone, as one relation `named`. */
export function keysRelation(stream: Stream, keys: Keys): RawBuilder<unknown> {
  return sql`named as (
    select ${sql.join(stream.key.map((name) => cast(stream, 'k', name)))}
    from ${keyRows(stream, keys)})`
}

/** Keys alone as a relation, each as one array `key` of its parts as they are. */
export function keyArrays(stream: Stream, keys: Keys): RawBuilder<{ key: string[] }> {
  return sql`(select array[${columnList(stream.key, 'k')}] as key from ${keyRows(stream, keys)})`
}

/** Keys alone as a relation `k` of their parts as they are. */
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

const BOOKKEEPING = ['_first_seen_at', '_changed_at', '_deleted_at', '_run_id']
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
