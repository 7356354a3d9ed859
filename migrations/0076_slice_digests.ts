import { type Kysely, sql } from 'kysely'

/**
 * What a slice showed: the SHA-256 over the sorted content hashes of its rows, and whether the warehouse held
 * these rows of the slice and no others after it. Slices from before have neither.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callsheet.slices add column digest bytea, add column exact boolean`.execute(
    db,
  )
}
