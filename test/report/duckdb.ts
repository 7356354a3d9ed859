import { DuckDBInstance } from '@duckdb/node-api'

export type DuckRow = Record<string, unknown>

/** The rows that DuckDB returns for a query, as JSON values; long integers become text. */
export async function askDuckDb(query: string): Promise<DuckRow[]> {
  opened ??= open()
  return (await (await opened).runAndReadAll(query)).getRowObjectsJson()
}

let opened: ReturnType<typeof open> | undefined

/** One connection for all queries of a test file. */
async function open() {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("set timezone = 'UTC'")
  return connection
}

/** The type of each column by name, in order. */
export async function typesIn(path: string): Promise<Record<string, unknown>> {
  const columns = await askDuckDb(`describe select * from ${quoted(path)}`)
  return Object.fromEntries(
    columns.map(({ column_name, column_type }) => [column_name, column_type]),
  )
}

/** The metadata that we wrote into a Parquet file, by key. */
export async function metadataIn(path: string): Promise<Record<string, string>> {
  const pairs = await askDuckDb(
    `select decode(key) as key, decode(value) as value from parquet_kv_metadata(${quoted(path)})`,
  )
  return Object.fromEntries(pairs.map(({ key, value }) => [String(key), String(value)]))
}

/** Quotes a text for SQL. DuckDB reads a file if its quoted path stands in place of a table. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
