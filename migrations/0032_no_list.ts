import { type Kysely, sql } from 'kysely'

/**
 * Whether a list was answered by "there is none", or "none for you": its slice is complete, and nobody knows
 * what is in the list. An answer of that kind between the pages counts too: what came after it was not shown.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function callsheet.no_list(slice_state text, slice_error text) returns boolean
    language sql immutable as $$ select slice_state = 'complete' and slice_error is not null $$`.execute(
    db,
  )
  await sql`revoke all on function callsheet.no_list(text, text) from public`.execute(db)
}
