import { type Kysely, sql } from 'kysely'

/**
 * The engine's own tables. Ledgers are partitioned by month; the default partition takes what no
 * month has yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'create schema if not exists callsheet',
  'create schema if not exists svc',
  'create schema if not exists history',
  'create schema if not exists report',

  // All SQL that needs the time calls this. The demo and the tests set callsheet.now for their connections.
  `create function callsheet.clock() returns timestamptz language sql volatile as
   $$ select coalesce(nullif(current_setting('callsheet.now', true), '')::timestamptz, clock_timestamp()) $$`,

  // How long a process may hold something (a lease, a claim) runs on even where the data's time stands still.
  `create function callsheet.wall() returns timestamptz language sql volatile as
   $$ select clock_timestamp() $$`,

  // With the epoch in a unique index, only a takeover waits for transactions that hold the row "for key
  // share": the holder's own heartbeat, which leaves the epoch alone, does not.
  `create table callsheet.leases (
     account text primary key,
     epoch bigint not null,
     holder jsonb,
     expires_at timestamptz not null,
     unique (account, epoch)
   )`,

  `create table callsheet.runs (
     id bigint generated always as identity primary key,
     account text not null,
     job text not null,
     epoch bigint not null,
     state text not null check (state in
       ('running', 'complete', 'incomplete', 'to_be_continued', 'failed', 'interrupted')),
     started_at timestamptz not null,
     finished_at timestamptz,
     planned jsonb not null default '{}',
     summary jsonb not null default '{}',
     error text
   )`,
  'create index on callsheet.runs (account, job, id desc)',

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
     gone bigint not null,
     service_total bigint,
     settled boolean not null default false,
     judged boolean not null default true,
     error text
   ) partition by range (finished_at)`,
  'create table callsheet.slices_default partition of callsheet.slices default',
  // A publication for all tables forbids updates and deletions of rows that nothing identifies.
  'alter table callsheet.slices replica identity full',
  'alter table callsheet.slices_default replica identity full',
  'create index on callsheet.slices (account, stream, slice, finished_at desc)',

  `create table callsheet.quarantine (
     id bigint generated always as identity primary key,
     account text not null,
     stream text not null,
     slice text not null,
     run_id bigint not null,
     at timestamptz not null,
     reason text not null,
     payload text not null
   )`,
  'create unique index on callsheet.quarantine (account, stream, reason, md5(payload))',

  // One row per stream, path and kind: what came that the documents do not name, or not in this form.
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

  // Rows that one complete reading did not show and that a second one has yet to confirm as gone.
  `create table callsheet.suspects (
     account text not null,
     stream text not null,
     key text[] not null,
     run_id bigint not null,
     since timestamptz not null,
     primary key (account, stream, key)
   )`,

  // A fall past the share stops the marking of a stream until a person releases it by the name of the run.
  `create table callsheet.brakes (
     account text not null,
     stream text not null,
     run_id bigint not null,
     missing bigint not null,
     owned bigint not null,
     at timestamptz not null,
     released_at timestamptz,
     used_by_run_id bigint,
     primary key (account, stream, run_id)
   )`,

  `create table callsheet.tokens (
     account text not null,
     kind text not null,
     version bigint not null,
     ciphertext bytea,
     expires_at timestamptz,
     scope text[] not null default '{}',
     claimed_by jsonb,
     claimed_until timestamptz,
     primary key (account, kind)
   )`,

  `create table callsheet.quota (
     account text not null,
     pool text not null,
     day date not null,
     spent bigint not null,
     primary key (account, pool, day)
   ) partition by range (day)`,
  'create table callsheet.quota_default partition of callsheet.quota default',

  `create table callsheet.labels (
     account text not null,
     label text not null,
     not_before timestamptz,
     reason text,
     learned_calls_per_second double precision,
     primary key (account, label)
   )`,

  `create table callsheet.published_reports (
     id bigint generated always as identity primary key,
     account text not null,
     report text not null,
     params jsonb not null,
     as_of timestamptz not null,
     run_ids bigint[] not null,
     published_at timestamptz not null,
     files jsonb not null
   )`,
  'create index on callsheet.published_reports (account, report, id desc)',
]
