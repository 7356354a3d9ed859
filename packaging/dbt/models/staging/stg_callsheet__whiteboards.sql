select
  account,
  whiteboard_id,
  whiteboard_name,
  created_by_display_name,
  created_date,
  modified_date,
  project_id,
  locked,
  readonly,
  trashed,
  non_cloud,
  share_scope,
  share_role,
  can_share,
  external_can_share,
  share_to_external
from {{ source('callsheet', 'whiteboards') }}
