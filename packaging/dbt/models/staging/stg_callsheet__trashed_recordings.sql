select
  account,
  session_id,
  session_key,
  session_name,
  start_time,
  duration,
  total_size,
  recording_count
from {{ source('callsheet', 'trashed_recordings') }}
