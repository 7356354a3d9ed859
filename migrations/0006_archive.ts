import { type Kysely, sql } from 'kysely'

/** The files of archived activities and recordings: states, errors, incidents and holds. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // One row and one state per file of the service. `parent` and `item` name it as the API does: an archived
  // session and its activity, or a video session and its recording file. A new file has no row at first.
  `create table callsheet.files (
     account text collate "C" not null,
     kind text not null check (kind in ('activity', 'recording')),
     parent text collate "C" not null,
     item text collate "C" not null,
     state text not null check (state in ('pending', 'stored', 'expired', 'missing', 'removed')),
     reason text,
     expires_at timestamptz,
     sha256 bytea check (length(sha256) = 32),
     size bigint,
     tries integer not null default 0,
     state_at timestamptz not null,
     run_id bigint,
     bytes_gone_at timestamptz,
     -- True only if the file's last entry in the evidence matches this row.
     entered boolean not null default false,
     -- When, and in which run, the service first answered that it no longer has the file: one answer is not
     -- enough to give the file up.
     absent_since timestamptz,
     absent_run_id bigint,
     -- The store lost the bytes: 'wanted' until they are stored again, 'gone' if the service no longer has
     -- them either. The file's entries in the evidence stay.
     lost text check (lost in ('wanted', 'gone')),
     primary key (account, kind, parent, item),
     check ((state in ('stored', 'removed')) = (sha256 is not null and size is not null)),
     check (state = 'removed' or bytes_gone_at is null),
     check ((absent_since is null) = (absent_run_id is null))
   )`,
  `create index on callsheet.files (account, kind, expires_at) where state = 'pending'`,
  // Pending files have no content yet, so the index omits them.
  'create index on callsheet.files (account, sha256) where sha256 is not null',
  // A removal is recorded before the store deletes the bytes; this finds removals whose bytes may remain.
  `create index on callsheet.files (account, sha256) where state = 'removed' and bytes_gone_at is null`,
  'create index on callsheet.files (account, sha256) where lost is not null',
  `create index on callsheet.files (account, kind, parent, item)
     where state in ('stored', 'removed') and not entered`,

  // Marks a file whose state or content changed after its last entry; the next run makes a new entry.
  `create function callsheet.file_needs_entry() returns trigger
   language plpgsql as $$ begin
     update callsheet.files set entered = false
     where account = new.account and kind = new.kind and parent = new.parent and item = new.item;
     return null;
   end $$`,
  `create trigger needs_entry after update on callsheet.files for each row
     when (old.entered and new.entered
       and (old.state, old.sha256) is distinct from (new.state, new.sha256))
     execute function callsheet.file_needs_entry()`,

  // Incidents that an auditor must see: an archive lost to its deadline, a missing file, a restored database.
  // One row for each subject and kind.
  `create table callsheet.incidents (
     id bigint generated always as identity,
     account text not null,
     kind text not null check (kind in ('expired_before_download', 'missing', 'database_restored')),
     subject text collate "C" not null,
     run_id bigint,
     at timestamptz not null,
     detail text not null,
     unique (account, kind, subject),
     primary key (account, id)
   )`,

  // Holds stop the removal of stored files. A hold that names no whiteboard and no session covers all files.
  `create table callsheet.holds (
     id bigint generated always as identity,
     account text not null,
     name text not null,
     reason text not null,
     whiteboard_id text,
     session_id text,
     begins_at timestamptz not null,
     ends_at timestamptz,
     placed_by text not null,
     released_at timestamptz,
     released_by text,
     unique (account, name),
     primary key (account, id)
   )`,
]
