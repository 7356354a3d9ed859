import { sql } from 'kysely'
import { LoadError } from '../core/errors.ts'
import type { DatabaseClient, Transaction, Warehouse } from './connect.ts'
import { databaseError } from './database-errors.ts'
import { anyOf } from './schema/expressions.ts'

/** How complete a table of an account is, as `report.freshness` has it. */
export interface TableFreshness {
  account: string
  table: string
  state: string
  whole: boolean
  complete_to: string | null
  missing_parts: number
  quarantined: number
  deletions_held: number
  /** The part of the stream that its table has, in words; null if the table has all records. */
  rows_kept: string | null
}

export interface StatementAnswer {
  /** At most one row more than `rows`, each as JSON that is cut to one character more than `characters`. */
  rows: string[]
  /** The tables and views of `report` that the statement reads. */
  tables: string[]
  /** Of the same snapshot as the rows. */
  freshness: TableFreshness[]
}

interface Limits {
  rows: number
  characters: number
  timeoutMs: number
}

/**
 * Runs somebody's SELECT in a read-only transaction and rolls it back. The role of the connection has to be
 * one that may only read `report`. A cursor is declared for the text in the extended protocol, so that the
 * server accepts only a single query. The text is declared alone first, because a text that closes our
 * parentheses fails there.
 */
export async function runStatement(
  warehouse: Warehouse,
  text: string,
  { rows: most, characters, timeoutMs }: Limits,
): Promise<StatementAnswer> {
  const statement = text.replace(/[;\s]+$/, '')
  const options = { snapshot: true, once: true, undo: true, patienceMs: timeoutMs }
  return await warehouse.transaction(async (tx, client) => {
    const ask = asker(client, timeoutMs)
    await ask(`declare alone no scroll cursor for ${statement}`)
    const tables = await tablesRead(tx)
    // Read before the first row, because a function in the statement could change settings of the session.
    const freshness = await readFreshness(tx, { tables })
    await ask(
      `declare shown no scroll cursor for select left(row_to_json(callsheet_row)::text, ${characters + 1})
       as text from (\n${statement}\n) callsheet_row`,
    )
    const rows = (await ask(`fetch forward ${most + 1} from shown`)) as { text: string }[]
    const hidden = (await tablesRead(tx)).filter(
      (name) => name !== 'freshness' && !tables.includes(name),
    )
    if (hidden.length > 0) throw readsInside(hidden)
    return { rows: rows.map((row) => row.text), tables, freshness }
  }, options)
}

/** Reads how complete tables are; by default, all tables of all accounts. */
export async function readFreshness(
  tx: Transaction,
  wanted: { tables?: readonly string[] | undefined; account?: string } = {},
): Promise<TableFreshness[]> {
  const tables = wanted.tables?.map((name) => name.replace(/^history_/, ''))
  const { account } = wanted
  const { rows } = await sql<TableFreshness>`
    select account, "table", state, whole, rows_kept, missing_parts::integer as missing_parts,
      quarantined::integer as quarantined, deletions_held::integer as deletions_held,
      to_char(complete_to at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as complete_to
    from report.freshness
    where ${tables === undefined ? sql`true` : sql`"table" = ${anyOf(tables)}`}
      and ${account === undefined ? sql`true` : sql`account = ${account}`}
    order by account, "table"`.execute(tx)
  return rows
}

/** Each statement locks what it names and what its views name until the end of the transaction. */
async function tablesRead(tx: Transaction): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
    where l.pid = pg_backend_pid() and l.locktype = 'relation'
      and l.database = (select oid from pg_database where datname = current_database())
      and c.relnamespace = to_regnamespace('report') and c.relkind in ('r', 'p', 'v')
    order by 1`.execute(tx)
  return rows.map(({ name }) => name)
}

function asker(client: DatabaseClient, timeoutMs: number): (text: string) => Promise<unknown[]> {
  return async (text) => {
    const query = { text, queryMode: 'extended', query_timeout: 2 * timeoutMs }
    const asked = client.query(query).catch((error: unknown) => {
      throw refused(databaseError(error, 'Running the statement'), timeoutMs)
    })
    return (await asked).rows
  }
}

/** Says what to do about an error in somebody's statement, instead of about one in ours. */
function refused(error: Error, timeoutMs: number): Error {
  if (
    !(error instanceof LoadError) ||
    !/^sql_|^database_(permission|read_only)|^statement_timeout/.test(error.code)
  )
    return error
  const [expected, todo] =
    error.code === 'statement_timeout'
      ? [`an answer within ${timeoutMs / 1000} s`, 'read fewer rows, e.g. with a shorter period']
      : error.code === 'database_permission'
        ? [
            'a query of the schema report',
            'name tables as report.TABLE; the tool tables lists them',
          ]
        : [
            'one SELECT statement',
            'correct the statement; the tool tables lists tables and columns',
          ]
  return new LoadError(error.code, { ...error.facts, expected, todo })
}

function readsInside(names: readonly string[]): LoadError {
  return new LoadError('hidden_tables', {
    tried: 'Running the statement',
    expected: 'a statement that names the tables it reads',
    came: `a function in it read ${names.map((name) => `report.${name}`).join(', ')}`,
    todo: 'name these tables in the statement, so that the answer can say how complete they are',
  })
}
