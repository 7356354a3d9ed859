import { type Expression, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Cell, Section, Table, TableColumn } from '../../src/core/define/report.ts'
import { CursorRows } from './cursor-rows.ts'

export type Row = Readonly<Record<string, Cell>>

/** The row type of a query. */
export type RowIn<Query> = Query extends Expression<infer R> ? R : never

/** The columns of a query that a cell can show. */
export type CellNames<R> = {
  [Name in keyof R & string]: R[Name] extends Cell ? Name : never
}[keyof R & string]

/** A table without its rows; its columns name columns of a query. */
type Head<Name extends string> = Omit<Table, 'kind' | 'rows' | 'columns'> & {
  columns: readonly TableColumn<Name>[]
}

type Cells<Name extends string> = Readonly<Record<Name, Cell>>

/** Runs a raw SQL query. Queries from the builder have their own `execute`. */
export async function queryRows<R extends Row = Row>(
  db: QueryExecutorProvider,
  query: RawBuilder<unknown>,
): Promise<R[]> {
  const { rows } = await query.execute(db)
  return rows as R[]
}

/** Makes a table of rows in memory, for aggregates and short lists. */
export function tableOf<Name extends string>(
  table: Head<Name>,
  rows: readonly Cells<NoInfer<Name>>[],
): Table {
  return { kind: 'table', ...table, rows: rows.map((row) => cellsOf(table.columns, row)) }
}

/** Makes a table from raw SQL, whose names are not checked. */
export async function queryTable(
  db: QueryExecutorProvider,
  table: Head<string>,
  query: RawBuilder<unknown>,
): Promise<Table> {
  return tableOf(table, await queryRows(db, query))
}

/** Makes a table of any length that is read through a cursor while it is written. */
export function cursorTable<Name extends string>(
  db: QueryExecutorProvider,
  table: Head<Name>,
  query: Expression<Cells<NoInfer<Name>>> | RawBuilder<unknown>,
): Table {
  const columns = namesOf(table.columns)
  return {
    kind: 'table',
    ...table,
    rows: new CursorRows(db, { name: table.title, columns, query }),
  }
}

/** Makes a cursor table of rows in an order. The rows may have further columns, such as sort columns. */
export function orderedTable<Name extends string, R extends Cells<Name>>(
  db: QueryExecutorProvider,
  table: Head<Name>,
  { rows, order }: { rows: Expression<R>; order: readonly Order<NoInfer<R>>[] },
): Table {
  const by = order.map((one) => {
    if (typeof one !== 'string') return one
    const [name = '', descending] = one.split(' ')
    return descending === undefined ? sql.id('x', name) : sql`${sql.id('x', name)} desc`
  })
  const columns = sql.join(namesOf(table.columns).map((name) => sql.id('x', name)))
  return cursorTable(db, table, sql`select ${columns} from ${rows} x order by ${sql.join(by)}`)
}

export type Order<R> = (keyof R & string) | `${keyof R & string} desc` | RawBuilder<unknown>

export function listSection(table: Table): Section {
  return { title: table.title, detail: true, blocks: [table] }
}

/** Columns with literal names, which the compiler compares with those of the query. */
export function tableColumns<Name extends string>(
  columns: readonly TableColumn<Name>[],
): readonly TableColumn<Name>[] {
  return columns
}

/** Returns the columns' names, for a query that selects nothing else. */
export function namesOf<Name extends string>(columns: readonly TableColumn<Name>[]): Name[] {
  return columns.map(({ name }) => name)
}

/** Returns the columns' names for raw SQL. */
export function idsOf(columns: readonly TableColumn[]): RawBuilder<unknown> {
  return sql.join(columns.map(({ name }) => sql.id(name)))
}

export function cellsOf(columns: readonly TableColumn[], row: Row): Cell[] {
  return columns.map(({ name }) => row[name] ?? null)
}
