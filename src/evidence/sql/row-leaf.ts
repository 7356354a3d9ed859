import { type RawBuilder, sql } from 'kysely'

/**
 * The leaf of a row `r`, as the database notes it in `callsheet.written`: over the whole row, with its salt,
 * as the server sends it. It is written out here, so that who checks it trusts no function of the database.
 */
export const ROW_LEAF: RawBuilder<Buffer> = sql`sha256(record_send(r))`
