import { type Kysely, sql } from 'kysely'

/** The data that API calls share between processes, and the record of calls that change data. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table callsheet.tokens (
     account text not null,
     kind text not null,
     version bigint not null,
     ciphertext bytea,
     expires_at timestamptz,
     scope text[] not null default '{}',
     claimed_by jsonb,
     claimed_until timestamptz,
     -- What a person allowed: how the token is renewed, until when that goes, and why it no longer does.
     grant_ciphertext bytea,
     grant_ends_at timestamptz,
     needs_reauth text,
     -- Where the API is, as the answer with the token said: whoever takes the stored token calls there, too.
     api_url text,
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
     retry_at timestamptz,
     reason text,
     learned_calls_per_second double precision,
     primary key (account, label)
   )`,

  // How an account's service interprets points that its documents leave open, where a response showed it.
  `create table callsheet.found_readings (
     account text not null,
     reading text not null,
     variant text not null,
     primary key (account, reading)
   )`,

  // `open`: no process recorded the result. The columns are json because jsonb refuses some texts.
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
     ended_at timestamptz,
     -- How many calls for the same things were to come after it: what is left halfway can be gone on with.
     to_follow integer not null default 0,
     -- The board that it put a classification label on, and which one; none where it took one off. The
     -- service does not tell what a board carries.
     whiteboard_id text collate "C",
     classification_id text,
     label text
   )`,
  'create index on callsheet.calls (account, asked_at)',
  `create index on callsheet.calls (account, whiteboard_id, ended_at, id)
     where whiteboard_id is not null`,
]
