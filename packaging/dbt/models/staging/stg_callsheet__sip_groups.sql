select
  account,
  sip_group_id,
  display_name,
  description,
  send_sip_group_name,
  source_system,
  sip_trunk_id,
  sip_trunk_name,
  sip_trunk_type
from {{ source('callsheet', 'sip_groups') }}
