import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

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
  ...historyBefore60('recording_sessions', 'session_id'),
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
  ...historyBefore60('recording_files', 'session_id, file_key, ordinal'),
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
  ...historyBefore60('recording_participant_files', 'session_id, file_key, ordinal'),
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
  ...historyBefore60('trashed_recordings', 'session_id'),
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
  ...historyBefore60('trashed_recording_files', 'session_id, file_key, ordinal'),
]
