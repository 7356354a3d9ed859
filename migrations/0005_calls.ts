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
     -- A person's grant: the refresh token, when it expires, and why a new login is required.
     grant_ciphertext bytea,
     grant_ends_at timestamptz,
     needs_reauth text,
     -- The address of the API from the token server's answer, for every process that uses this token.
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

  // How the service reads points that its documents leave open, and the settings under which rows are stored.
  `create table callsheet.found_readings (
     account text not null,
     reading text not null,
     variant text not null,
     primary key (account, reading)
   )`,

  // `open`: no result is recorded. `arguments` and `body` are json because jsonb refuses some texts.
  `create table callsheet.calls (
     id bigint generated always as identity,
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
     -- How many calls for the same items were to follow, so that interrupted work can be continued.
     to_follow integer not null default 0,
     -- The board and the label that the call gave it; null if it removed the label. The service does not
     -- report the label of a board.
     whiteboard_id text collate "C",
     classification_id text,
     label text,
     primary key (account, id)
   )`,
  'create index on callsheet.calls (account, asked_at)',
  `create index on callsheet.calls (account, whiteboard_id, ended_at, id)
     where whiteboard_id is not null`,
]
