import { type Kysely, sql } from 'kysely'
import { dataTables } from './frozen/data-tables.ts'

/** Video sessions, their recordings, and the customer's own buckets for recordings. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  ...dataTables({
    name: 'session_reports',
    key: 'id',
    day: 'start_time',
    columns: `id text, session_name text, session_key text, start_time timestamptz, end_time timestamptz,
      duration bigint, user_count bigint, has_voip boolean, has_video boolean,
      has_screen_share boolean, has_recording boolean, has_pstn boolean,
      has_session_summary boolean, audio_quality text, video_quality text,
      screen_share_quality text`,
  }),
  'create index on svc.session_reports (account, session_key)',
  // Counting a month and reading its fingerprints use the index alone: the rows with their payloads are about
  // six times as large.
  `create index session_reports_by_time on svc.session_reports (account, start_time)
     include (end_time, duration, user_count, session_key, has_voip, has_video, has_screen_share,
       has_recording, has_pstn, has_session_summary, audio_quality, video_quality, screen_share_quality,
       _deleted_at, _run_id, id, _hash, _first_seen_at)`,
  ...dataTables({
    name: 'recording_sessions',
    key: 'session_id',
    day: 'start_time',
    columns: `session_id text, session_key text, session_name text, start_time timestamptz,
      duration bigint, total_size bigint, recording_count bigint, trashed boolean`,
    view: `case when trashed then 'trashed' else 'live' end as state`,
  }),
  `create index on svc.recording_sessions (account, start_time)
     include (session_id, trashed, _hash, _deleted_at, _first_seen_at)`,
  ...dataTables({
    name: 'recording_details',
    key: 'session_id',
    columns: `session_id text, total_size bigint, recording_count bigint`,
  }),
  ...dataTables({
    name: 'recording_files',
    key: 'session_id, file_key, ordinal',
    columns: `session_id text, file_key text, ordinal bigint, id text, recording_start timestamptz,
      recording_end timestamptz, file_type text, file_size bigint, status text,
      recording_type text, external_storage_url text, deleted_time timestamptz`,
  }),
  ...dataTables({
    name: 'recording_participant_files',
    key: 'session_id, file_key, ordinal',
    columns: `session_id text, file_key text, ordinal bigint, id text, recording_start timestamptz,
      recording_end timestamptz, file_type text, file_size bigint, status text,
      recording_type text, file_name text, file_extension text, user_id text, user_key text`,
  }),
  ...dataTables({
    name: 'recording_audio_files',
    key: 'session_id, file_key, ordinal',
    columns: `session_id text, file_key text, ordinal bigint, id text, recording_start timestamptz,
      recording_end timestamptz, file_type text, file_size bigint, status text, file_name text,
      file_extension text, user_id text, user_key text`,
  }),
  ...dataTables({
    name: 'trashed_recordings',
    key: 'session_id',
    columns: `session_id text, session_key text, session_name text, start_time timestamptz,
      duration bigint, total_size bigint, recording_count bigint`,
  }),
  ...dataTables({
    name: 'trashed_recording_files',
    key: 'session_id, file_key, ordinal',
    columns: `session_id text, file_key text, ordinal bigint, id text, recording_start timestamptz,
      recording_end timestamptz, file_type text, file_size bigint, status text,
      recording_type text, external_storage_url text, deleted_time timestamptz`,
  }),
  ...dataTables({
    name: 'storage_locations',
    key: 'id',
    columns: `id text, name text, provider text, authentication_mechanism text, bucket text, region text,
      selected boolean`,
  }),
  ...dataTables({
    name: 'storage_location_details',
    key: 'id',
    columns: `id text, verify_status text`,
  }),
]
