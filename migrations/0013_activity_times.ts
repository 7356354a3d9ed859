import { type Kysely, sql } from 'kysely'

/**
 * An audit reads a few weeks of an archive that grows for ever: without this it would read the whole table,
 * payloads and all, for each of its sheets.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index on svc.whiteboard_activities (account, create_time)`.execute(db)
}
