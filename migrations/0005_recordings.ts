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
  `create table svc.recording_sessions (
     account text collate "C" not null,
     session_id text collate "C" not null,
     session_key text,
     session_name text,
     start_time timestamptz,
     duration bigint,
     total_size bigint,
     recording_count bigint,
     trashed boolean,
     ${BOOKKEEPING},
     primary key (account, session_id)
   )`,
  'create index on svc.recording_sessions (account, start_time)',
  ...history('recording_sessions', 'session_id'),
  `create table svc.recording_files (
     account text collate "C" not null,
     session_id text collate "C" not null,
     file_key text collate "C" not null,
     ordinal bigint not null,
     id text,
     recording_start timestamptz,
     recording_end timestamptz,
     file_type text,
     file_size bigint,
     status text,
     recording_type text,
     external_storage_url text,
     deleted_time timestamptz,
     ${BOOKKEEPING},
     primary key (account, session_id, file_key, ordinal)
   )`,
  ...history('recording_files', 'session_id, file_key, ordinal'),
  `create table svc.recording_participant_files (
     account text collate "C" not null,
     session_id text collate "C" not null,
     file_key text collate "C" not null,
     ordinal bigint not null,
     id text,
     recording_start timestamptz,
     recording_end timestamptz,
     file_type text,
     file_size bigint,
     status text,
     recording_type text,
     file_name text,
     file_extension text,
     user_id text,
     user_key text,
     ${BOOKKEEPING},
     primary key (account, session_id, file_key, ordinal)
   )`,
  ...history('recording_participant_files', 'session_id, file_key, ordinal'),
  `create table svc.trashed_recordings (
     account text collate "C" not null,
     session_id text collate "C" not null,
     session_key text,
     session_name text,
     start_time timestamptz,
     recording_count bigint,
     ${BOOKKEEPING},
     primary key (account, session_id)
   )`,
  ...history('trashed_recordings', 'session_id'),
  `create table svc.trashed_recording_files (
     account text collate "C" not null,
     session_id text collate "C" not null,
     file_key text collate "C" not null,
     ordinal bigint not null,
     id text,
     recording_start timestamptz,
     recording_end timestamptz,
     file_type text,
     file_size bigint,
     status text,
     recording_type text,
     external_storage_url text,
     deleted_time timestamptz,
     ${BOOKKEEPING},
     primary key (account, session_id, file_key, ordinal)
   )`,
  ...history('trashed_recording_files', 'session_id, file_key, ordinal'),
]
