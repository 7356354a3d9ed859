import { type Kysely, sql } from 'kysely'

/** What only the detail of a session's recordings tells: each participant's sound. */
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
  `create table svc.recording_details (
     account text collate "C" not null,
     session_id text collate "C" not null,
     total_size bigint,
     recording_count bigint,
     ${BOOKKEEPING},
     primary key (account, session_id)
   )`,
  ...history('recording_details', 'session_id'),
  `create table svc.recording_audio_files (
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
     file_name text,
     file_extension text,
     user_id text,
     user_key text,
     ${BOOKKEEPING},
     primary key (account, session_id, file_key, ordinal)
   )`,
  ...history('recording_audio_files', 'session_id, file_key, ordinal'),

  `create view report.recording_details as select account,
     session_id, total_size, recording_count
   from svc.recording_details where _deleted_at is null`,
  `create view report.recording_audio_files as select account,
     session_id, file_key, ordinal, id, recording_start, recording_end, file_type, file_size,
     status, file_name, file_extension, user_id, user_key
   from svc.recording_audio_files where _deleted_at is null`,
]
