select
  account,
  classification_id,
  name,
  description,
  color,
  sensitivity_level,
  guideline_url,
  is_default,
  create_time,
  modify_time,
  whiteboard_count
from {{ source('callsheet', 'classification_labels') }}
