import { type Kysely, sql } from 'kysely'

/** How many calls for the same things were to come after a call: what it left halfway can be gone on with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callsheet.calls add column to_follow integer not null default 0`.execute(db)
}
