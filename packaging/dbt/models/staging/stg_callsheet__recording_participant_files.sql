select
  account,
  session_id,
  file_key,
  ordinal,
  id,
  recording_start,
  recording_end,
  file_type,
  file_size,
  status,
  recording_type,
  file_name,
  file_extension,
  user_id,
  user_key
from {{ source('callsheet', 'recording_participant_files') }}
