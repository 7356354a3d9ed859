import { type Kysely, sql } from 'kysely'

/** Due work that reads nothing from the service, such as a report: each attempt, and what came of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
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
]
