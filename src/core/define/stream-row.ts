import type { AliasableExpression, ColumnType } from 'kysely'
import type { Column, PgType } from './column.ts'
import type { Stream } from './stream.ts'

/** The types of a stream's columns in queries, derived from their declarations. */
export type StreamColumns<S extends Stream> = {
  [Name in keyof S['columns'] & string]:
    | ValueOf<S['columns'][Name]>
    | (Name extends S['key'][number] ? never : null)
}

/** A stream's row in a report: its columns, and the times of its first appearance and last change. */
export type ReportRow<S extends Stream> = StreamColumns<S> & {
  _first_seen_at: string
  _changed_at: string
}

/** Rows that a query reads under a name of its choice: `rows(users).as('u')`. */
export type Relation<Row> = AliasableExpression<Row>

/** Returns the rows of one of these streams; the compiler rejects any other. */
export interface RowsOf<in Streams extends Stream> {
  <S extends Streams>(stream: S): Relation<ReportRow<S>>
}

export interface GoneRowsOf<in Streams extends Stream> {
  <S extends Streams>(stream: S): Relation<ReportRow<S> & { gone_at: string; gone_by: number }>
}

/** A version of a stream's row: when it began, and when and how it ended; null while it is current. */
export type Version<S extends Stream> = ReportRow<S> & {
  _valid_from: string
  _valid_to: string | null
  _end: 'changed' | 'deleted' | 'left' | null
}

/** Returns all known versions of the rows of one of these streams. */
export interface VersionsOf<in Streams extends Stream> {
  <S extends Streams>(stream: S): Relation<Version<S>>
}

type ValueOf<C> = C extends Column<infer Pg> ? Values[Pg] : never

/** A bigint is a number if that is safe, otherwise its digits; an instant is ISO text in UTC. */
interface Values extends Record<PgType, unknown> {
  text: string
  bigint: number | string
  boolean: boolean
  timestamptz: string
  'text[]': string[]
  jsonb: ColumnType<unknown, string, string>
}
