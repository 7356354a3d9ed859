select
  account,
  whiteboard_id,
  page_id,
  object_count,
  possibly_truncated
from {{ source('callsheet', 'whiteboard_content') }}
