import { type Kysely, sql } from 'kysely'

/** Where the API is, as the answer with the token said: whoever takes the stored token calls there, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callsheet.tokens add column api_url text`.execute(db)
}
