import { type Kysely, sql } from 'kysely'

/** What BI tools should read: the rows that the service shows now, in the wire's names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of VIEWS) await sql.raw(statement).execute(db)
}

const VIEWS = [
  `create view report.users as select account,
     id, email, first_name, last_name, display_name, type, status, role_id, dept, timezone,
     location, job_title, verified, pmi, use_pmi, user_created_at, created_at, last_login_time,
     last_client_version
   from svc.users where _deleted_at is null`,
  `create view report.whiteboard_sessions as select account,
     id, start_time, end_time, expire_time, whiteboard_id, whiteboard_name,
     case when expire_time <= callsheet.clock() then 'expired' else 'present' end as state
   from svc.whiteboard_sessions where _deleted_at is null`,
  `create view report.whiteboard_participants as select account,
     session_id, user_id, user_name, join_whiteboard_time, ordinal, email, joined_at,
     leave_whiteboard_time
   from svc.whiteboard_participants where _deleted_at is null`,
  `create view report.whiteboard_activities as select account,
     session_id, id, type, create_time, user_id, collaborator_id, collaborator_name, email,
     content, object_ids
   from svc.whiteboard_activities where _deleted_at is null`,
  `create view report.session_reports as select account,
     id, session_name, session_key, start_time, end_time, duration, user_count, has_voip,
     has_video, has_screen_share, has_recording, has_pstn, has_session_summary, audio_quality,
     video_quality, screen_share_quality
   from svc.session_reports where _deleted_at is null`,
  `create view report.recording_sessions as select account,
     session_id, session_key, session_name, start_time, duration, total_size, recording_count,
     trashed, case when trashed then 'trashed' else 'live' end as state
   from svc.recording_sessions where _deleted_at is null`,
  `create view report.recording_files as select account,
     session_id, file_key, ordinal, id, recording_start, recording_end, file_type, file_size,
     status, recording_type, external_storage_url, deleted_time
   from svc.recording_files where _deleted_at is null`,
  `create view report.recording_participant_files as select account,
     session_id, file_key, ordinal, id, recording_start, recording_end, file_type, file_size,
     status, recording_type, file_name, file_extension, user_id, user_key
   from svc.recording_participant_files where _deleted_at is null`,
  `create view report.trashed_recordings as select account,
     session_id, session_key, session_name, start_time, recording_count
   from svc.trashed_recordings where _deleted_at is null`,
  `create view report.trashed_recording_files as select account,
     session_id, file_key, ordinal, id, recording_start, recording_end, file_type, file_size,
     status, recording_type, external_storage_url, deleted_time
   from svc.trashed_recording_files where _deleted_at is null`,
  `create view report.phone_numbers as select account,
     id, number, allocated_product, number_type, source, status, display_name, caller_id_name,
     capability, carrier_code, carrier_name, emergency_address, emergency_address_update_time,
     address_update_required, location_city, location_country, location_state, site_id,
     site_name, sip_group_id, sip_group_name
   from svc.phone_numbers where _deleted_at is null`,
  `create view report.phone_number_assignments as select account,
     phone_number_id, assigned_to_type, assigned_to_id, source_channel, ordinal,
     assigned_to_name, extension_number
   from svc.phone_number_assignments where _deleted_at is null`,
]
