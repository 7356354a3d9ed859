select
  account,
  phone_number_id,
  assigned_to_type,
  assigned_to_id,
  source_channel,
  ordinal,
  assigned_to_name,
  extension_number,
  display_number,
  label,
  meeting_id,
  greeting_id,
  greeting_name,
  on_hold_music_id,
  on_hold_music_name
from {{ source('callsheet', 'phone_number_assignment_details') }}
