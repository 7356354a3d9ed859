import { type Kysely, sql } from 'kysely'

/**
 * Runs and the data that they read. The ledger of slices is partitioned by month. Its default partition
 * stores rows whose month has no partition yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // With the epoch in a unique index, only a takeover waits for transactions that lock the row "for key
  // share". The holder's heartbeat does not change the epoch, so it does not wait.
  `create table callsheet.leases (
     account text primary key,
     epoch bigint not null,
     holder jsonb,
     expires_at timestamptz not null,
     -- A mark for each takeover of the account by a process, newest first. If one that a machine noted is
     -- missing here, the database was restored from an earlier backup.
     marks uuid[] not null default '{}',
     marked_at timestamptz,
     -- The database to which the account was moved: nothing works on it here any more.
     moved_to text,
     unique (account, epoch)
   )`,

  `create table callsheet.runs (
     id bigint generated always as identity,
     account text not null,
     job text not null,
     epoch bigint not null,
     state text not null check (state in
       ('running', 'complete', 'incomplete', 'paused', 'failed', 'interrupted')),
     started_at timestamptz not null,
     finished_at timestamptz,
     planned jsonb not null default '{}',
     summary jsonb not null default '{}',
     error text,
     -- The run read only a part of its job, so it does not count for the rest.
     partial boolean not null default false,
     primary key (account, id)
   )`,
  'create index on callsheet.runs (account, job, id desc)',
  // Orders the runs of several accounts by time: the numbers of moved accounts have no common order.
  'create index on callsheet.runs (started_at)',
  'create index on callsheet.runs (account, started_at)',

  // The changes of each batch, recorded in its transaction: the sums match the tables, even after a kill, and
  // a retry that finds its batch here knows that it was committed. Records found unchanged are in no batch.
  `create table callsheet.batches (
     account text not null,
     run_id bigint not null,
     batch integer not null,
     stream text not null,
     inserted bigint not null,
     updated bigint not null,
     unchanged bigint not null,
     deleted bigint not null,
     left_part bigint not null,
     at timestamptz not null,
     primary key (account, run_id, batch, stream)
   )`,

  `create table callsheet.slices (
     account text not null,
     stream text not null,
     slice text not null,
     run_id bigint not null,
     state text not null check (state in ('complete', 'failed', 'not_allowed')),
     owned_from timestamptz,
     owned_to timestamptz,
     requested_at timestamptz not null,
     finished_at timestamptz not null,
     pages integer not null,
     received bigint not null,
     inserted bigint not null,
     updated bigint not null,
     unchanged bigint not null,
     ignored bigint not null,
     quarantined bigint not null,
     deleted bigint not null,
     service_total bigint,
     final boolean not null default false,
     checked boolean not null default true,
     error text,
     -- The version of the parent when the slice was read, and whether its list has the most records that the
     -- service shows, so that it may be cut off.
     version text,
     possibly_truncated boolean not null default false,
     -- How many records were outside the requested range.
     outside bigint not null default 0,
     -- Null if no evidence was recorded when the slice was read.
     batch integer
   ) partition by range (finished_at)`,
  'create table callsheet.slices_default partition of callsheet.slices default',
  // A publication for all tables forbids updates and deletions in tables without a replica identity.
  'alter table callsheet.slices replica identity full',
  'alter table callsheet.slices_default replica identity full',
  'create index on callsheet.slices (account, stream, slice, finished_at desc)',

  `create table callsheet.quarantine (
     id bigint generated always as identity,
     account text not null,
     stream text not null,
     slice text not null,
     run_id bigint not null,
     at timestamptz not null,
     reason text not null,
     payload text not null,
     primary key (account, id)
   )`,
  'create unique index on callsheet.quarantine (account, stream, reason, md5(payload))',

  // Fields and values that the documents lack or describe differently, each different example once.
  `create table callsheet.drift (
     account text not null,
     stream text not null,
     kind text not null check (kind in ('unknown_field', 'unknown_value', 'broken_value', 'missing_value')),
     path text not null,
     example text not null,
     first_run_id bigint not null,
     first_seen_at timestamptz not null,
     primary key (account, stream, kind, path, example)
   )`,

  // Rows missing from one complete read, until a later read shows them or confirms that they are gone.
  `create table callsheet.deletion_candidates (
     account text not null,
     stream text not null,
     key text[] not null,
     run_id bigint not null,
     since timestamptz not null,
     primary key (account, stream, key)
   )`,

  // A drop above the limits: its missing rows are not deleted until a person approves the run that found it.
  `create table callsheet.deletion_guards (
     account text not null,
     stream text not null,
     run_id bigint not null,
     missing bigint not null,
     owned bigint not null,
     at timestamptz not null,
     approved_at timestamptz,
     used_by_run_id bigint,
     primary key (account, stream, run_id)
   )`,
]
