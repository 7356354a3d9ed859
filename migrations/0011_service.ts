import { type Kysely, sql } from 'kysely'

/** What runs by itself: reports, due tasks, alerts, and the machines that share the work. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table callsheet.published_reports (
     id bigint generated always as identity primary key,
     account text not null,
     report text not null,
     params jsonb not null,
     as_of timestamptz not null,
     run_ids bigint[] not null,
     published_at timestamptz not null,
     files jsonb not null,
     asked jsonb not null default '{}'
   )`,
  'create index on callsheet.published_reports (account, report, id desc)',
  `create table callsheet.placed_files (
     account text collate "C" not null,
     path text collate "C" not null,
     sha256 text collate "C" not null,
     placed_at timestamptz not null
   )`,
  // By the content alone: a path may be longer than an index takes.
  'create index on callsheet.placed_files (sha256)',
  'alter table callsheet.placed_files replica identity full',

  // Due work that reads nothing from the service, such as a report: each attempt, and what came of it.
  `create table callsheet.task_runs (
     id bigint generated always as identity primary key,
     account text not null,
     task text not null,
     due_at timestamptz not null,
     state text not null check (state in ('running', 'complete', 'incomplete', 'failed', 'interrupted')),
     started_at timestamptz not null,
     finished_at timestamptz,
     ending jsonb,
     detail jsonb not null,
     error text
   )`,
  'create index on callsheet.task_runs (account, task, id desc)',

  // What was told of each cause on each channel, and on `ping` of the last good night. A claim keeps a second
  // process from sending what the first one is sending; it runs out, as its process may die.
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

  // Digests of what machines that share work must have in common. A digest is keyed with the key that it
  // tells of, so nobody learns a key from it.
  `create table callsheet.machines (
     host text not null,
     pid bigint not null,
     started_at timestamptz not null,
     seen_at timestamptz not null,
     token_key text not null,
     evidence_key text,
     store text not null,
     store_is_folder boolean not null,
     primary key (host, pid)
   )`,
]
