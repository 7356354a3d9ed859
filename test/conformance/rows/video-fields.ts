/** Fields of the video sessions in document 2. */
export const VIDEO_FIELDS = `
= 2.storage storage_locations storage_locations.list storage_locations.get storage_locations.create
1 id
2 name
3 provider
4 s3.authentication_mechanism
5 s3.bucket s3.region
= 2.storage storage_locations storage_locations.list
7 selected
= 2.storage storage_location_details storage_locations.get
8 verify_status
= 2.recording recording_sessions recordings.list:sessions recordings.get
1 session_id
2 session_key
3 session_name
4 start_time
5 duration
6 total_size
7 recording_count
8 recording_files
9 participant_video_files
= 2.recording recording_details recordings.get
10 participant_audio_files
= 2.recording recording_details recordings.get
11 download_access_token
= 2.recording recording_files recordings.list:sessions.recording_files recordings.get:recording_files
12 id recording_start recording_end file_type file_size download_url status recording_type
= 2.recording recording_files recordings.list:sessions.recording_files
12 external_storage_url deleted_time
= 2.recording recording_participant_files recordings.list:sessions.participant_video_files
15 id recording_start recording_end file_name file_extension file_type file_size download_url status
15 user_id user_key recording_type
= 2.recording recording_audio_files recordings.get:participant_audio_files
15 id recording_start recording_end file_name file_extension file_type file_size download_url status
15 user_id user_key
= 2.report session_reports session_reports.list:sessions
1 id session_name session_key start_time end_time duration user_count has_voip has_video
1 has_screen_share has_recording has_pstn has_session_summary audio_quality video_quality
1 screen_share_quality
= 2.created - sessions.create
1 session_name session_id session_number session_password passcode created_at settings.auto_recording
1 settings.global_dial_in_countries settings.global_dial_in_numbers.country
1 settings.global_dial_in_numbers.country_name settings.global_dial_in_numbers.number
1 settings.global_dial_in_numbers.type
= 2.recording-calls - recordings.list
1 from to next_page_token page_size total_records sessions
= 2.session-calls - session_reports.list
1 from to next_page_token page_size sessions
`
