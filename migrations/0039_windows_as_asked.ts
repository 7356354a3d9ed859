import { type Kysely, sql } from 'kysely'

/** How many records of a slice lie outside the range that was asked for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callsheet.slices add column outside bigint not null default 0`.execute(db)
}
