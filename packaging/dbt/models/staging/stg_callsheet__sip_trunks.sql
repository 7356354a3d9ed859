select
  account,
  sip_trunk_id,
  name,
  carrier,
  carrier_account,
  region,
  sbc_label,
  source_system
from {{ source('callsheet', 'sip_trunks') }}
