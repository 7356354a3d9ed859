select
  account,
  id,
  start_time,
  end_time,
  expire_time,
  whiteboard_id,
  whiteboard_name
from {{ source('callsheet', 'whiteboard_sessions') }}
