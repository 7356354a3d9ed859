import { type RawBuilder, sql } from 'kysely'
import { chunksOf } from '../core/chunks.ts'
import type { PgType } from '../core/define/column.ts'
import type { Cell } from '../core/define/report.ts'
import type { TableFormat } from '../core/define/report-format.ts'
import type { Stream } from '../core/define/stream.ts'
import type { Relation } from '../core/define/stream-row.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { cursorRows } from '../warehouse/cursor.ts'
import { renderCsv } from './files/csv.ts'
import { type ParquetColumn, writeParquet } from './files/parquet-file.ts'
import type { ParquetKind } from './files/parquet-kinds.ts'

interface Source {
  tx: Transaction
  stream: Stream
  rows: Relation<unknown>
}

interface Target {
  path: string
  format: TableFormat
  metadata: Readonly<Record<string, string>>
}

export type ExportedRow = Readonly<Record<string, unknown>>

/** Writes the rows of a stream in the order of their keys. Returns their number. */
export async function writeTable(
  source: Source,
  { path, format, metadata }: Target,
): Promise<number> {
  const columns = columnsOf(source.stream)
  let count = 0
  async function* batches(): AsyncGenerator<ExportedRow[]> {
    for await (const batch of rowsOf(source, columns)) {
      count += batch.length
      yield batch
    }
  }
  if (format === 'parquet') {
    const typed = columns.map(parquetColumn)
    const content = { columns: typed, metadata, batches: batches() }
    await writeParquet(path, content)
    return count
  }
  const rows = {
    first: () => Promise.resolve([]),
    async *stream() {
      for await (const batch of batches())
        yield batch.map((row) => columns.map(({ name }) => cellOf(row[name])))
    },
  }
  const texts = columns.map(({ name }) => ({ name, title: name, format: 'text' }) as const)
  await renderCsv({ kind: 'table', title: source.stream.name, columns: texts, rows }, path)
  return count
}

export interface ExportedColumn {
  name: string
  pg: PgType
}

/** Returns the service's columns, and columns for when each row was first seen and last changed. */
export function columnsOf({ columns }: Stream): ExportedColumn[] {
  const own = Object.entries(columns).map(([name, { pg }]) => ({ name, pg }))
  const ours = ['_first_seen_at', '_changed_at'].map((name) => ({
    name,
    pg: 'timestamptz' as const,
  }))
  return [...own, ...ours]
}

function rowsOf(
  { tx, stream, rows }: Source,
  columns: readonly ExportedColumn[],
): AsyncGenerator<ExportedRow[]> {
  const key = sql.join(stream.key.map((name) => sql.id('x', name)))
  const query = sql<ExportedRow>`select ${chosen(columns)} from ${rows} x order by ${key}`
  return chunksOf(cursorRows(tx, 'exported rows', query), BATCH_ROWS)
}

/** Selects the columns, JSON as text. */
export function chosen(columns: readonly ExportedColumn[]): RawBuilder<unknown> {
  const one = ({ name, pg }: ExportedColumn) =>
    pg === 'jsonb' ? sql`${sql.id(name)}::text as ${sql.id(name)}` : sql.id(name)
  return sql.join(columns.map(one))
}

export function parquetColumn({ name, pg }: ExportedColumn): ParquetColumn<ExportedRow> {
  return { name, kind: KINDS[pg], valueOf: (row) => row[name] }
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell)
}

const BATCH_ROWS = 1_000
const KINDS: Readonly<Record<PgType, ParquetKind>> = {
  text: 'text',
  'text[]': 'texts',
  bigint: 'integer',
  boolean: 'boolean',
  timestamptz: 'instant',
  jsonb: 'text',
}
