import { type Expression, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Cell, Section, Table, TableColumn } from '../../src/core/define/report.ts'
import { CursorRows } from './cursor-rows.ts'

export type Row = Readonly<Record<string, Cell>>

/** What a query's rows are like. */
export type RowIn<Query> = Query extends Expression<infer R> ? R : never

/** Those of a query's columns that a cell can show. */
export type CellNames<R> = {
  [Name in keyof R & string]: R[Name] extends Cell ? Name : never
}[keyof R & string]

/** A table before its rows are known: its columns are a query's, by name. */
type Head<Name extends string> = Omit<Table, 'kind' | 'rows' | 'columns'> & {
  columns: readonly TableColumn<Name>[]
}

type Cells<Name extends string> = Readonly<Record<Name, Cell>>

/** The rows of a template: a query that the builder knows runs by itself. */
export async function queryRows<R extends Row = Row>(
  db: QueryExecutorProvider,
  query: RawBuilder<unknown>,
): Promise<R[]> {
  const { rows } = await query.execute(db)
  return rows as R[]
}

/** A table of rows at hand. For what fits in memory: aggregates and the worst of something. */
export function tableOf<Name extends string>(
  table: Head<Name>,
  rows: readonly Cells<NoInfer<Name>>[],
): Table {
  return { kind: 'table', ...table, rows: rows.map((row) => cellsOf(table.columns, row)) }
}

/** The same of a template, of which nobody checks the names. */
export async function queryTable(
  db: QueryExecutorProvider,
  table: Head<string>,
  query: RawBuilder<unknown>,
): Promise<Table> {
  return tableOf(table, await queryRows(db, query))
}

/** A table that is read through a cursor while it is written, however long it is. */
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

/** The same of rows that may have more than the table shows, such as what they are ordered by. */
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

/** A sheet of one table: a list of everything. */
export function listSection(table: Table): Section {
  return { title: table.title, detail: true, blocks: [table] }
}

/** Columns of which the compiler knows the names, and holds them against those of the query. */
export function tableColumns<Name extends string>(
  columns: readonly TableColumn<Name>[],
): readonly TableColumn<Name>[] {
  return columns
}

/** The columns by name, for a query that fetches nothing else. */
export function namesOf<Name extends string>(columns: readonly TableColumn<Name>[]): Name[] {
  return columns.map(({ name }) => name)
}

/** The same within a template. */
export function idsOf(columns: readonly TableColumn[]): RawBuilder<unknown> {
  return sql.join(columns.map(({ name }) => sql.id(name)))
}

export function cellsOf(columns: readonly TableColumn[], row: Row): Cell[] {
  return columns.map(({ name }) => row[name] ?? null)
}
