import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Cell, Table, TableColumn } from '../../src/core/declare/report.ts'
import { CursorRows } from './cursor-rows.ts'

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
  const columns = table.columns.map(({ name }) => name)
  return {
    kind: 'table',
    ...table,
    rows: new CursorRows(db, { name: table.title, columns, query }),
  }
}

/** The columns by name, for a query that fetches nothing else. */
export function namesOf(columns: readonly TableColumn[]): RawBuilder<unknown> {
  return sql.join(columns.map(({ name }) => sql.id(name)))
}

export function cellsOf(columns: readonly TableColumn[], row: Row): Cell[] {
  return columns.map(({ name }) => row[name] ?? null)
}
