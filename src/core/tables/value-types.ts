import type { ColumnType } from 'kysely'

/** A bigint column: an identity or a count, always far below 2^53. */
export type Count = ColumnType<number, number | string, number | string>
/** A `Count` with a default in the database. */
export type GivenCount = ColumnType<number, number | string | undefined, number | string>
/** A JSON column: written as text (`JSON.stringify`), read as the parsed value. */
export type Json = ColumnType<unknown, string, string>
/** A `Json` with a default in the database. */
export type GivenJson = ColumnType<unknown, string | undefined, string>
