import { type Kysely, sql } from 'kysely'

/** Erasure requests, and the people that no sync may store. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Made when a person removes the app or somebody requests it here; one removal makes one request.
  // `identities` (IDs, addresses and names) and `subject` name the person until the request is done or the
  // person is readmitted.
  `create table callsheet.erasure_requests (
     id bigint generated always as identity,
     account text collate "C" not null,
     subject text not null,
     source text not null,
     asked_at timestamptz not null,
     requested_at timestamptz not null,
     due_at timestamptz not null,
     notification_id bigint,
     state text not null default 'waiting'
       check (state in ('waiting', 'under_way', 'kept', 'done', 'readmitted')),
     asked_by text,
     by_name boolean not null default false,
     identities jsonb,
     started_at timestamptz,
     ended_at timestamptz,
     erased jsonb,
     kept jsonb,
     left_behind jsonb,
     -- Shows who made it: 64 bytes are a signature with the evidence key, 32 one with a notification secret.
     proof bytea check (length(proof) in (32, 64)),
     primary key (account, id)
   )`,
  'create unique index on callsheet.erasure_requests (account, subject, source, asked_at)',
  'create index on callsheet.erasure_requests (account, state)',

  // Digests of IDs, addresses and names use a key of the account: the list alone identifies nobody.
  `create table callsheet.suppression_keys (
     account text collate "C" primary key,
     key bytea not null check (length(key) = 32)
   )`,
  // One row per request and digest: if two people share a name, one can be readmitted without the other.
  `create table callsheet.suppressions (
     account text collate "C" not null,
     token bytea not null check (length(token) = 16),
     counts text not null check (counts in ('person', 'name_beside', 'name_everywhere')),
     request_id bigint not null,
     since timestamptz not null,
     -- Shows that an erasure by Callsheet entered it: a signature with the evidence key.
     proof bytea check (length(proof) = 64),
     primary key (account, token, request_id)
   )`,
]
