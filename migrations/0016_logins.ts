import { type Kysely, sql } from 'kysely'

/** What a person allowed: how the token is renewed, until when that goes, and why it no longer does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callsheet.tokens
    add column grant_ciphertext bytea,
    add column grant_ends_at timestamptz,
    add column needs_reauth text`.execute(db)
}
