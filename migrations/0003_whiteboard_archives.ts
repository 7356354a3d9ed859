import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const BOOKKEEPING = `_raw jsonb not null,
     _bytes bytea,
     _hash bytea not null,
     _first_seen_at timestamptz not null,
     _changed_at timestamptz not null,
     _deleted_at timestamptz,
     _run_id bigint not null`

/**
 * Ended versions, partitioned by the month in which they ended. A version has no key: a row may end twice
 * in a run.
 */
const history = (table: string, key: string): string[] => [
  `create table history.${table} (
     like svc.${table},
     _valid_from timestamptz not null,
     _valid_to timestamptz not null,
     _ended_by_run bigint not null,
     _end text not null check (_end in ('changed', 'gone'))
   ) partition by range (_valid_to)`,
  `create table history.${table}_default partition of history.${table} default`,
  `create index on history.${table} (account, ${key}, _valid_to)`,
]

const STATEMENTS = [
  `create table svc.whiteboard_sessions (
     account text collate "C" not null,
     id text collate "C" not null,
     start_time timestamptz,
     end_time timestamptz,
     expire_time timestamptz,
     whiteboard_id text,
     whiteboard_name text,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  'create index on svc.whiteboard_sessions (account, start_time)',
  ...history('whiteboard_sessions', 'id'),
  `create table svc.whiteboard_participants (
     account text collate "C" not null,
     session_id text collate "C" not null,
     user_id text collate "C" not null,
     user_name text collate "C" not null,
     join_whiteboard_time text collate "C" not null,
     ordinal bigint not null,
     email text,
     joined_at timestamptz,
     leave_whiteboard_time timestamptz,
     ${BOOKKEEPING},
     primary key (account, session_id, user_id, user_name, join_whiteboard_time, ordinal)
   )`,
  ...history(
    'whiteboard_participants',
    'session_id, user_id, user_name, join_whiteboard_time, ordinal',
  ),
  `create table svc.whiteboard_activities (
     account text collate "C" not null,
     session_id text collate "C" not null,
     id text collate "C" not null,
     type text,
     create_time timestamptz,
     user_id text,
     collaborator_id text,
     collaborator_name text,
     email text,
     content text,
     object_ids text[],
     ${BOOKKEEPING},
     primary key (account, session_id, id)
   )`,
  ...history('whiteboard_activities', 'session_id, id'),
]
