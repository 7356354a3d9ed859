select
  account,
  session_id,
  id,
  type,
  create_time,
  user_id,
  collaborator_id,
  collaborator_name,
  email,
  content,
  object_ids
from {{ source('callsheet', 'whiteboard_activities') }}
