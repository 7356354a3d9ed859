import { type Kysely, sql } from 'kysely'

/** The same guard, after the row is written: one that stands before it locks each row, and logs that. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'drop trigger needs_entry on callsheet.files',
  // Whoever changes the state or the content and says nothing of it: the next run makes the entry.
  `create or replace function callsheet.file_needs_entry() returns trigger
     language plpgsql as $$ begin
       update callsheet.files set entered = false
       where account = new.account and kind = new.kind and parent = new.parent and item = new.item;
       return null;
     end $$`,
  `create trigger needs_entry after update on callsheet.files for each row
     when (old.entered and new.entered
       and (old.state, old.sha256) is distinct from (new.state, new.sha256))
     execute function callsheet.file_needs_entry()`,
]
