import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from './connect.ts'

/**
 * The rows of a query, some thousand at a time and never all in memory. `name` is one that no other cursor
 * open in the transaction has. A reader that stops early leaves the cursor to the transaction's end.
 */
export async function* cursorRows<Row>(
  tx: Transaction,
  name: string,
  query: RawBuilder<Row>,
): AsyncGenerator<Row> {
  const cursor = sql.id(name)
  await sql`declare ${cursor} no scroll cursor for ${query}`.execute(tx)
  for (;;) {
    const { rows } = await sql<Row>`fetch forward ${FETCHED} from ${cursor}`.execute(tx)
    yield* rows
    if (rows.length < FETCHED_ROWS) break
  }
  await sql`close ${cursor}`.execute(tx)
}

const FETCHED_ROWS = 2_000
/** The grammar takes no parameter there. */
const FETCHED = sql`2000`
