select
  account,
  phone_number,
  sip_trunk_name,
  status,
  assigned,
  allocated_product,
  billing_ref_id,
  message_capability,
  outbound_cli_share_not_supported,
  outbound_dialer_not_supported,
  service_info,
  voice_direction,
  voice_msg_capacity
from {{ source('callsheet', 'peering_numbers') }}
