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
  external_storage_url,
  deleted_time
from {{ source('callsheet', 'trashed_recording_files') }}
