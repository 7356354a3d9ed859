import { type Kysely, sql } from 'kysely'

/** Which files the manifest is known to tell of, so that a run looks at the others alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // True only where the file's last entry says what the row says: who changes the state in any other way
  // leaves it false, and the next run makes the entry.
  'alter table callsheet.files add column entered boolean not null default false',
  `create index on callsheet.files (account, kind, parent, item)
     where state in ('stored', 'removed') and not entered`,
  // Files that wait to be fetched have no content yet: they need no place among the contents.
  'drop index callsheet.files_account_sha256_idx',
  'create index on callsheet.files (account, sha256) where sha256 is not null',
]
