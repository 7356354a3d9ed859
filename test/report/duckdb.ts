import { DuckDBInstance } from '@duckdb/node-api'

export type DuckRow = Record<string, unknown>

/** What another program than ours says of a file. Values come as JSON has them, long integers as text. */
export async function askDuckDb(query: string): Promise<DuckRow[]> {
  opened ??= open()
  return (await (await opened).runAndReadAll(query)).getRowObjectsJson()
}

let opened: ReturnType<typeof open> | undefined

/** One for all questions of a test file. */
async function open() {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("set timezone = 'UTC'")
  return connection
}

/** By name the type of each column, in order. */
export async function typesIn(path: string): Promise<Record<string, unknown>> {
  const columns = await askDuckDb(`describe select * from ${quoted(path)}`)
  return Object.fromEntries(
    columns.map(({ column_name, column_type }) => [column_name, column_type]),
  )
}

/** Our own key and value pairs of a file. */
export async function metadataIn(path: string): Promise<Record<string, string>> {
  const pairs = await askDuckDb(
    `select decode(key) as key, decode(value) as value from parquet_kv_metadata(${quoted(path)})`,
  )
  return Object.fromEntries(pairs.map(({ key, value }) => [String(key), String(value)]))
}

/** A text in SQL; a path where a table is expected is a file that is read. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
