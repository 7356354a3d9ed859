import { type Expression, sql } from 'kysely'
import type { Transaction } from './connect.ts'

/**
 * Streams the rows of a query, `FETCHED` at a time. `name` must be unique among the transaction's open
 * cursors. If the reader stops early, the cursor is closed at the transaction's end.
 */
export async function* cursorRows<Row>(
  tx: Transaction,
  name: string,
  query: Expression<Row>,
): AsyncGenerator<Row> {
  const cursor = sql.id(name)
  // By default the planner optimizes a cursor for its first tenth of rows. All rows are read here.
  await sql`set local cursor_tuple_fraction = 1`.execute(tx)
  await sql`declare ${cursor} no scroll cursor for ${query}`.execute(tx)
  const fetch = () => sql<Row>`fetch forward ${FETCHED} from ${cursor}`.execute(tx)
  // The database fetches the next rows while these are read.
  for (let next = fetch(); ; ) {
    const { rows } = await next
    const last = rows.length < FETCHED_ROWS
    if (!last) {
      next = fetch()
      // `next` is awaited in the next turn; if the reader stops before that, its error would be unhandled.
      next.catch(() => undefined)
    }
    yield* rows
    if (last) break
  }
  await sql`close ${cursor}`.execute(tx)
}

const FETCHED_ROWS = 2_000
/** How many rows are fetched at once; as SQL, because FETCH accepts no parameters. */
const FETCHED = sql`2000`
