import { type Kysely, sql } from 'kysely'

/**
 * Of a stored file whether its bytes are still what they were: `wanted` where the store has lost them, until
 * they are there again, and `gone` where the service no longer has them either. What is entered of it stays.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `alter table callsheet.files add column lost text check (lost in ('wanted', 'gone'))`,
  'create index on callsheet.files (account, sha256) where lost is not null',
]
