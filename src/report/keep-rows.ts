import { type AliasableExpression, type Expression, sql } from 'kysely'
import type { Transaction } from '../warehouse/connect.ts'

/**
 * Runs a query once and stores its rows in a temporary table until the transaction ends. If the transaction
 * may not create tables, returns the query itself: the rows are the same, but each use runs the query again.
 * Uses raw SQL for statements that the query builder lacks.
 */
export async function keepRows<Row>(
  tx: Transaction,
  name: string,
  query: Expression<Row>,
): Promise<AliasableExpression<Row>> {
  if (!(await mayKeep(tx))) return sql<Row>`(${query})`
  const table = sql<Row>`${sql.id('pg_temp', name)}`
  await sql`create temporary table ${sql.id(name)} on commit drop as ${query}`.execute(tx)
  // Autovacuum never analyzes a temporary table, and plans without statistics are bad. The table is read as a
  // whole, so a sample of some thousand rows is enough.
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

/** Makes the transaction read-only from now on, like any other snapshot. */
export async function endKeeping(tx: Transaction): Promise<void> {
  await sql`set transaction read only`.execute(tx)
}
