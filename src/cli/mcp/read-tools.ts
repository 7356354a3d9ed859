import { sql } from 'kysely'
import { z } from 'zod'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { readFreshness, runStatement, type TableFreshness } from '../../warehouse/run-statement.ts'
import { defineTool, type Tool } from './serve-tools.ts'
import { wholenessOf } from './wholeness.ts'

/** Opens a connection that may only read `report`, and closes it after the work. */
export type UseReader = <T>(work: (reader: Warehouse) => Promise<T>) => Promise<T>

/** The tools that read with the rights of the reader alone. Each request has a connection of its own. */
export function readTools(using: UseReader, accounts: readonly string[]) {
  const reading = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    using((reader) => reader.transaction(work, { snapshot: true, patienceMs: TIMEOUT_MS }))
  const coverage = defineTool(
    'How complete and fresh each table is; with a table, also its incomplete days (as the newest) and lists.',
    { table: TABLE },
    ({ table }) =>
      reading(async (tx) => {
        const rows = await readFreshness(tx, table === undefined ? {} : { tables: [table] })
        const parts = table === undefined ? [] : await incompleteParts(tx, table)
        const lines = [...rows, ...parts.slice(0, MOST_ROWS)].map((row) => JSON.stringify(row))
        const cuts = parts.length > MOST_ROWS ? [`more than ${MOST_ROWS} incomplete parts`] : []
        return { wholeness: wholenessOf(namesOf(rows, table), rows, accounts), cuts, lines }
      }),
  )
  const tables = defineTool(
    'The tables of the schema report; with a table, its columns; each with its meaning.',
    { table: TABLE },
    ({ table }) =>
      reading(async (tx) => {
        const found = await describedTables(tx, table)
        const names = found.map(({ name }) => name)
        const lines = found.flatMap(({ name, about, columns }) =>
          [`report.${name}: ${about}`].concat(table === undefined ? [] : columns),
        )
        if (lines.length === 0) lines.push('the schema report has no such table')
        return {
          wholeness: wholenessOf(names, await readFreshness(tx, { tables: names }), accounts),
          lines,
        }
      }),
  )
  const wholeness = (account: string | undefined): Promise<string> =>
    reading(async (tx) => {
      const rows = await readFreshness(tx)
      const asked = account === undefined ? rows : rows.filter((row) => row.account === account)
      return wholenessOf(
        namesOf(rows, undefined),
        asked,
        account === undefined ? accounts : [account],
      )
    })
  return {
    tools: { coverage, tables, query: queryTool(using, accounts) } satisfies Record<string, Tool>,
    wholeness,
  }
}

/** The tool that runs a statement. */
function queryTool(using: UseReader, accounts: readonly string[]) {
  return defineTool(
    'Runs one SELECT statement of Postgres. Write each table with its schema, as report.users.',
    {
      // A zero byte would end the text in the middle of a message to the server.
      sql: z
        .string()
        .min(1)
        .max(20_000)
        .regex(/^[^\0]*$/),
      rows: z.int().min(1).max(MOST_ROWS).default(200).describe('how many rows to return at most'),
    },
    ({ sql: text, rows: most }) =>
      using(async (reader) => {
        const limits = { rows: most, characters: ROW_CHARACTERS, timeoutMs: TIMEOUT_MS }
        const { rows, tables: read, freshness } = await runStatement(reader, text, limits)
        const lines = rows.slice(0, most).map((row) => row.slice(0, ROW_CHARACTERS))
        const cuts = [
          ...(rows.length > most ? [`all rows after the first ${most}`] : []),
          ...(rows.some((row) => row.length > ROW_CHARACTERS)
            ? [`rows after ${ROW_CHARACTERS} characters`]
            : []),
        ]
        return { wholeness: wholenessOf(read, freshness, accounts), cuts, lines }
      }),
  )
}

/** Reads the tables of `report` with the comments on them. */
async function describedTables(tx: Transaction, table: string | undefined) {
  const { rows } = await sql<{ name: string; about: string; columns: string[] }>`
    select c.relname as name, coalesce(obj_description(c.oid, 'pg_class'), '') as about, array(
      select concat_ws(': ', attname || ' ' || format_type(atttypid, atttypmod),
        col_description(c.oid, attnum))
      from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as columns
    from pg_class c where c.relnamespace = to_regnamespace('report') and c.relkind in ('r', 'p', 'v')
      and c.relname = coalesce(${table ?? null}, c.relname)
    order by 1`.execute(tx)
  return rows
}

async function incompleteParts(tx: Transaction, table: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select account, "table", day, part, complete, run_id, read_at from report.coverage
    where "table" = ${table} and not complete
    order by account, day, part limit ${MOST_ROWS + 1}`.execute(tx)
  return rows
}

/** Returns the tables to judge. Before the first sync there are no rows, so the text names every table. */
function namesOf(rows: readonly TableFreshness[], asked: string | undefined): string[] {
  if (asked !== undefined) return [asked]
  return rows.length === 0 ? ['every table'] : rows.map(({ table }) => table)
}

const TABLE = z.string().max(63).optional().describe('name of a table, without its schema')
const TIMEOUT_MS = 30_000
const MOST_ROWS = 1_000
const ROW_CHARACTERS = 10_000
