import { type Kysely, sql } from 'kysely'

/** Which runs read a part of their job alone, and so say nothing of the rest of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callsheet.runs add column partial boolean not null default false`.execute(
    db,
  )
}
