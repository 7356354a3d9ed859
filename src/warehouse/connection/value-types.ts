import type { ColumnType } from 'kysely'

/** A bigint of ours: an identity or a count, which stays far below 2^53. */
export type Count = ColumnType<number, number | string, number | string>
/** The same where the database gives one. */
export type GivenCount = ColumnType<number, number | string | undefined, number | string>
/** Goes in as text (`JSON.stringify`), comes out parsed. */
export type Json = ColumnType<unknown, string, string>
/** The same where the database gives one. */
export type GivenJson = ColumnType<unknown, string | undefined, string>
