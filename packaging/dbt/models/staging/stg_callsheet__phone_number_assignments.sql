select
  account,
  phone_number_id,
  assigned_to_type,
  assigned_to_id,
  source_channel,
  ordinal,
  assigned_to_name,
  extension_number
from {{ source('callsheet', 'phone_number_assignments') }}
