import { type Kysely, sql } from 'kysely'

/** Every call that changes something at the service: who asked for it, what was sent, what came of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // `open`: nobody came back to say what became of it. What is sent may be text that jsonb refuses.
  `create table callsheet.calls (
     id bigint generated always as identity primary key,
     account text not null,
     operation text not null,
     asked_by text not null,
     arguments json not null,
     body json,
     asked_at timestamptz not null,
     state text not null check (state in ('open', 'done', 'partly', 'refused', 'unknown', 'not_sent')),
     status int,
     code text,
     tracking_id text,
     reason text,
     ended_at timestamptz
   )`,
  'create index on callsheet.calls (account, asked_at)',
]
