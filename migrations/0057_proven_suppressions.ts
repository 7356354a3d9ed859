import { type Kysely, sql } from 'kysely'

/**
 * What shows of each identity on the list of whom no sync keeps that an erasure of ours put it there: a
 * signature with the key of the evidence, which lies outside the database.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callsheet.suppressions
    add column proof bytea check (length(proof) = 64)`.execute(db)
}
