select
  account,
  session_id,
  total_size,
  recording_count
from {{ source('callsheet', 'recording_details') }}
