import { type Kysely, sql } from 'kysely'

/**
 * Deletes findings of drift whose name or example may be cut off: half of an address is personal data that no
 * erasure finds. The next record with such a value is a finding again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`delete from callsheet.drift
    where (kind = 'unknown_value' and length(example) between ${LEAST_CUT} and 100)
      or (kind = 'unknown_field' and length(path) between ${2 * LEAST_CUT} and 200)`.execute(db)
}

/** They were cut at 100 UTF-16 units, of which a character may take two. */
const LEAST_CUT = 50
