import type { AliasableExpression, ColumnType } from 'kysely'
import type { Column, PgType } from './column.ts'
import type { Stream } from './stream.ts'

/** A stream's columns as queries see them, by their declarations. */
export type StreamColumns<S extends Stream> = {
  [Name in keyof S['columns'] & string]:
    | ValueOf<S['columns'][Name]>
    | (Name extends S['key'][number] ? never : null)
}

/** What a report reads of a stream: its columns, and since when they say so. */
export type ReportRow<S extends Stream> = StreamColumns<S> & {
  _first_seen_at: string
  _changed_at: string
}

/** Rows that a query reads from, by a name that it gives them: `rows(users).as('u')`. */
export type Relation<Row> = AliasableExpression<Row>

/** The rows of one of some streams; of another there are none, which the compiler says. */
export interface RowsOf<in Streams extends Stream> {
  <S extends Streams>(stream: S): Relation<ReportRow<S>>
}

/** The same of rows that are gone. */
export interface GoneRowsOf<in Streams extends Stream> {
  <S extends Streams>(stream: S): Relation<ReportRow<S> & { gone_at: string; gone_by: number }>
}

/** What a stream's rows were like: when each began, and when and how it ended; null while it stands. */
export type Version<S extends Stream> = ReportRow<S> & {
  _valid_from: string
  _valid_to: string | null
  _end: 'changed' | 'deleted' | null
}

/** All versions of rows that are known. */
export interface VersionsOf<in Streams extends Stream> {
  <S extends Streams>(stream: S): Relation<Version<S>>
}

type ValueOf<C> = C extends Column<infer Pg> ? Values[Pg] : never

/** A bigint comes as a number while it is a safe one, else as its digits; an instant as ISO text in UTC. */
interface Values extends Record<PgType, unknown> {
  text: string
  bigint: number | string
  boolean: boolean
  timestamptz: string
  'text[]': string[]
  jsonb: ColumnType<unknown, string, string>
}
