import { type Kysely, sql } from 'kysely'

/** Who was erased and must not come back, and what became of each request. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Digests of IDs, addresses and names under a key of the account: the list names nobody by itself.
  `create table callsheet.suppression_keys (
     account text collate "C" primary key,
     key bytea not null check (length(key) = 32)
   )`,
  `create table callsheet.suppressions (
     account text collate "C" not null,
     token bytea not null check (length(token) = 16),
     counts text not null check (counts in ('person', 'name_beside', 'name_everywhere')),
     request_id bigint not null,
     since timestamptz not null,
     primary key (account, token)
   )`,

  // `identities` holds the person's IDs, addresses and names only while the erasure is under way, so that
  // one that was cut off goes on where it stood, or while a hold keeps a part (`kept`); so does `subject`.
  `alter table callsheet.erasure_requests
     alter column notification_id drop not null,
     add column state text not null default 'waiting'
       check (state in ('waiting', 'under_way', 'kept', 'done')),
     add column asked_by text,
     add column by_name boolean not null default false,
     add column identities jsonb,
     add column started_at timestamptz,
     add column ended_at timestamptz,
     add column erased jsonb,
     add column kept jsonb,
     add column left_behind jsonb`,
  'create index on callsheet.erasure_requests (account, state)',
  'alter table callsheet.notifications drop constraint notifications_state_check',
  `alter table callsheet.notifications add constraint notifications_state_check check (state in
     ('applied', 'stored', 'unmatched', 'ahead', 'unknown', 'foreign', 'unparsed', 'erased'))`,
]
