import { type Expression, sql } from 'kysely'
import type { Transaction } from './connect.ts'

/**
 * The rows of a query, some thousand at a time and never all in memory. `name` is one that no other cursor
 * open in the transaction has. A reader that stops early leaves the cursor to the transaction's end.
 */
export async function* cursorRows<Row>(
  tx: Transaction,
  name: string,
  query: Expression<Row>,
): AsyncGenerator<Row> {
  const cursor = sql.id(name)
  // As a rule a cursor is planned for its first tenth, which here means: as slow as it may be in the end.
  await sql`set local cursor_tuple_fraction = 1`.execute(tx)
  await sql`declare ${cursor} no scroll cursor for ${query}`.execute(tx)
  const fetch = () => sql<Row>`fetch forward ${FETCHED} from ${cursor}`.execute(tx)
  // The database works on the next rows while these are read.
  for (let next = fetch(); ; ) {
    const { rows } = await next
    const last = rows.length < FETCHED_ROWS
    if (!last) {
      next = fetch()
      // Awaited with the next turn; a reader that stops before would leave the error unheard.
      next.catch(() => undefined)
    }
    yield* rows
    if (last) break
  }
  await sql`close ${cursor}`.execute(tx)
}

const FETCHED_ROWS = 2_000
/** The grammar takes no parameter there. */
const FETCHED = sql`2000`
