import { type Kysely, sql } from 'kysely'

/** Automatic work: reports, due tasks, alerts, and the machines that share the work. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table callsheet.published_reports (
     id bigint generated always as identity,
     account text not null,
     report text not null,
     params jsonb not null,
     as_of timestamptz not null,
     run_ids bigint[] not null,
     published_at timestamptz not null,
     files jsonb not null,
     asked jsonb not null default '{}',
     primary key (account, id)
   )`,
  'create index on callsheet.published_reports (account, report, id desc)',
  'create index on callsheet.published_reports (published_at)',
  `create table callsheet.placed_files (
     account text collate "C" not null,
     path text collate "C" not null,
     sha256 text collate "C" not null,
     placed_at timestamptz not null
   )`,
  // Indexes the content alone: a path may be too long for an index.
  'create index on callsheet.placed_files (sha256)',
  'alter table callsheet.placed_files replica identity full',

  // Scheduled work that reads nothing from the service, such as a report: each attempt and its result.
  `create table callsheet.task_runs (
     id bigint generated always as identity,
     account text not null,
     task text not null,
     due_at timestamptz not null,
     state text not null check (state in ('running', 'complete', 'incomplete', 'failed', 'interrupted')),
     started_at timestamptz not null,
     finished_at timestamptz,
     ending jsonb,
     detail jsonb not null,
     error text,
     primary key (account, id)
   )`,
  'create index on callsheet.task_runs (account, task, id desc)',

  // The last message about each cause on each channel. A claim prevents a second process from sending the
  // same message; it expires, as its process may die.
  `create table callsheet.alerts (
     channel text collate "C" not null,
     cause text collate "C" not null,
     account text collate "C",
     code text not null,
     subject text not null,
     level text not null check (level in ('red', 'amber')),
     sentence text not null,
     todo text not null,
     since timestamptz not null,
     told_level text check (told_level in ('red', 'amber')),
     first_told_at timestamptz,
     last_told_at timestamptz,
     recovered_at timestamptz,
     attempts integer not null default 0,
     last_error text,
     claim text,
     claimed_until timestamptz,
     primary key (channel, cause)
   )`,

  // Digests of the settings that machines must have in common to share work. A digest of a key is keyed with
  // that key, so it reveals nothing.
  `create table callsheet.machines (
     host text not null,
     pid bigint not null,
     started_at timestamptz not null,
     seen_at timestamptz not null,
     token_key text not null,
     evidence_key text,
     store text not null,
     store_is_folder boolean not null,
     policies jsonb not null,
     primary key (host, pid)
   )`,
]
