select
  account,
  session_id,
  user_id,
  user_name,
  join_whiteboard_time,
  ordinal,
  email,
  joined_at,
  leave_whiteboard_time
from {{ source('callsheet', 'whiteboard_participants') }}
