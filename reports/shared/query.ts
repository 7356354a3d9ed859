import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Cell, Table, TableColumn } from '../../src/core/report.ts'

export type Row = Readonly<Record<string, Cell>>

export async function queryRows<R extends Row = Row>(
  db: QueryExecutorProvider,
  query: RawBuilder<unknown>,
): Promise<R[]> {
  const { rows } = await query.execute(db)
  return rows as R[]
}

/**
 * A table whose columns are the query's, by name. For what fits in memory: aggregates and the worst
 * of something.
 */
export async function queryTable(
  db: QueryExecutorProvider,
  table: Omit<Table, 'kind' | 'rows'>,
  query: RawBuilder<unknown>,
): Promise<Table> {
  const rows = await queryRows(db, query)
  return { kind: 'table', ...table, rows: rows.map((row) => cellsOf(table.columns, row)) }
}

/** A table that is read through a cursor while it is written, however long it is. */
export function cursorTable(
  db: QueryExecutorProvider,
  table: Omit<Table, 'kind' | 'rows'>,
  query: RawBuilder<unknown>,
): Table {
  return { kind: 'table', ...table, rows: { stream: () => readCursor(db, table.columns, query) } }
}

export function cellsOf(columns: readonly TableColumn[], row: Row): Cell[] {
  return columns.map(({ name }) => row[name] ?? null)
}

async function* readCursor(
  db: QueryExecutorProvider,
  columns: readonly TableColumn[],
  query: RawBuilder<unknown>,
): AsyncGenerator<Cell[]> {
  await sql`declare report_rows no scroll cursor for ${query}`.execute(db)
  try {
    for (;;) {
      const rows = await queryRows(db, sql`fetch forward ${sql.lit(FETCHED_ROWS)} from report_rows`)
      for (const row of rows) yield cellsOf(columns, row)
      if (rows.length < FETCHED_ROWS) return
    }
  } finally {
    await sql`close report_rows`.execute(db)
  }
}

const FETCHED_ROWS = 1_000
