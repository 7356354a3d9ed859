select
  account,
  whiteboard_id,
  collaborator_id,
  collaborator_name,
  collaborator_type,
  role,
  user_id,
  email,
  channel_id,
  avatar
from {{ source('callsheet', 'whiteboard_collaborators') }}
