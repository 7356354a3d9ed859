import { type AliasableExpression, type Expression, sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'

/**
 * Asks a query once and keeps its rows to the end of the transaction, in a table that only its connection
 * sees. Where the role may make no such table it is the query itself, so that the rows are the same and only
 * asked for each time. What says how the connection works is a template: it is no query.
 */
export async function keepRows<Row>(
  tx: Transaction,
  name: string,
  query: Expression<Row>,
): Promise<AliasableExpression<Row>> {
  if (!(await mayKeep(tx))) return sql<Row>`(${query})`
  const table = sql<Row>`${sql.id('pg_temp', name)}`
  await sql`create temporary table ${sql.id(name)} on commit drop as ${query}`.execute(tx)
  // Nobody else ever counts what is in it, and a plan for a table of no known size is a bad one; for
  // tables that are read whole some thousand rows tell enough.
  await sql`set local default_statistics_target = 10`.execute(tx)
  await sql`analyze ${table}`.execute(tx)
  return table
}

async function mayKeep(tx: Transaction): Promise<boolean> {
  const { may } = await tx
    .selectNoFrom(({ and, eb, fn, val }) =>
      and([
        fn<boolean>('has_database_privilege', [fn('current_database'), val('temporary')]),
        eb(fn('current_setting', [val('transaction_read_only')]), '=', 'off'),
      ]).as('may'),
    )
    .executeTakeFirstOrThrow()
  return may === true
}

/** From here on the transaction only reads, as any other snapshot does. */
export async function endKeeping(tx: Transaction): Promise<void> {
  await sql`set transaction read only`.execute(tx)
}
