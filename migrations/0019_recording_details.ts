import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

/** What only the detail of a session's recordings tells: each participant's sound. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table svc.recording_details (
     account text collate "C" not null,
     session_id text collate "C" not null,
     total_size bigint,
     recording_count bigint,
     ${BOOKKEEPING},
     primary key (account, session_id)
   )`,
  ...historyBefore60('recording_details', 'session_id'),
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
  ...historyBefore60('recording_audio_files', 'session_id, file_key, ordinal'),

  `create view report.recording_details as select account,
     session_id, total_size, recording_count
   from svc.recording_details where _deleted_at is null`,
  `create view report.recording_audio_files as select account,
     session_id, file_key, ordinal, id, recording_start, recording_end, file_type, file_size,
     status, file_name, file_extension, user_id, user_key
   from svc.recording_audio_files where _deleted_at is null`,
]
