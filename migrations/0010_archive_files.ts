import { type Kysely, sql } from 'kysely'

/** The files of archived activities and recordings: where each stands, what went wrong, what must stay. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // One row and one state per file of the service. `parent` and `item` name it as the API does: an archived
  // session and its activity, or a video session and its recording file. A file that has no row is pending.
  `create table callsheet.files (
     account text collate "C" not null,
     kind text not null check (kind in ('activity', 'recording')),
     parent text collate "C" not null,
     item text collate "C" not null,
     state text not null check (state in
       ('pending', 'stored', 'expired', 'missing', 'refused', 'removed')),
     reason text,
     expires_at timestamptz,
     sha256 bytea check (length(sha256) = 32),
     size bigint,
     tries integer not null default 0,
     state_at timestamptz not null,
     run_id bigint,
     bytes_gone_at timestamptz,
     primary key (account, kind, parent, item),
     check ((state in ('stored', 'removed')) = (sha256 is not null and size is not null)),
     check (state = 'removed' or bytes_gone_at is null)
   )`,
  `create index on callsheet.files (account, kind, expires_at) where state = 'pending'`,
  'create index on callsheet.files (account, sha256)',
  // What is to be removed is entered first, then taken from the store: what lies between, after a crash.
  `create index on callsheet.files (account, sha256) where state = 'removed' and bytes_gone_at is null`,

  // What an auditor must be told: an archive lost to its deadline, a file that came out otherwise the second
  // time. Append-only; once for each thing and kind.
  `create table callsheet.incidents (
     id bigint generated always as identity primary key,
     account text not null,
     kind text not null check (kind in ('expired_before_download', 'refused', 'missing')),
     subject text collate "C" not null,
     run_id bigint,
     at timestamptz not null,
     detail text not null,
     unique (account, kind, subject)
   )`,

  // What stops the removal of stored files. A hold that names no whiteboard and no session is of everything.
  `create table callsheet.holds (
     id bigint generated always as identity primary key,
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
     unique (account, name)
   )`,

  // Which classification label we put on which board: the service does not tell what a board carries.
  `create table callsheet.applied_labels (
     account text collate "C" not null,
     whiteboard_id text collate "C" not null,
     applied_at timestamptz not null,
     classification_id text,
     name text,
     applied_by text not null,
     primary key (account, whiteboard_id, applied_at)
   )`,
]
