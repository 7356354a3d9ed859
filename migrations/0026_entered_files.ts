import { type Kysely, sql } from 'kysely'

/** Which files the manifest is known to tell of, so that a run looks at the others alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // True only where the file's last entry says what the row says. Whoever changes the state or the content
  // and says nothing of it makes it false, and the next run makes the entry.
  'alter table callsheet.files add column entered boolean not null default false',
  `create index on callsheet.files (account, kind, parent, item)
     where state in ('stored', 'removed') and not entered`,
  `create function callsheet.file_needs_entry() returns trigger
     language plpgsql as $$ begin new.entered := false; return new; end $$`,
  `create trigger needs_entry before update on callsheet.files for each row
     when (old.entered and new.entered
       and (old.state, old.sha256) is distinct from (new.state, new.sha256))
     execute function callsheet.file_needs_entry()`,
  'revoke all on function callsheet.file_needs_entry() from public',
  // Files that wait to be fetched have no content yet: they need no place among the contents.
  'drop index callsheet.files_account_sha256_idx',
  'create index on callsheet.files (account, sha256) where sha256 is not null',
]
